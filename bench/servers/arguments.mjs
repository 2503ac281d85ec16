import { parseArgs } from 'node:util'

const OPTIONS = {
  transport: { type: 'string', default: 'http' },
  mode: { type: 'string', default: 'modern' },
  tools: { type: 'string', default: '1' },
  port: { type: 'string', default: '0' },
  workers: { type: 'string', default: '1' },
  page: { type: 'string', default: '1000' },
  'max-line': { type: 'string', default: '0' },
  schemas: { type: 'string', default: 'json' },
  framing: { type: 'string', default: 'json' },
  telemetry: { type: 'string', default: 'off' },
  framework: { type: 'string', default: 'none' },
}

/**
 * The arguments of a server program of the benchmark.
 *
 * @typedef {object} ServerArguments
 * @property {'http' | 'stdio'} transport
 * @property {'modern' | 'session' | 'stateless'} mode over stdio, `session` is the legacy era
 * @property {number} tools how many filler tools are registered; the first one counts as one of the other tools
 * @property {number} port 0 picks a free port; the program prints `{"port":N}` when it listens
 * @property {number} workers number of processes
 * @property {number} page tools on one page of a list
 * @property {number} maxLine bytes of the longest line over stdio; 0 leaves the default
 * @property {'json' | 'zod'} schemas how the schemas of the tools are written
 * @property {'on' | 'bare' | 'off'} telemetry whether calls are traced with OpenTelemetry; `bare` traces as little as possible
 * @property {'json' | 'stream'} framing the response format, for servers that must choose it in advance; only streams carry notifications
 * @property {string} framework over HTTP, the name of a mount in frameworks.mjs; `none` for the server of the subject itself
 */

/** @returns {ServerArguments} */
export function serverArguments() {
  const { values } = parseArgs({ options: OPTIONS })
  const { transport, mode, schemas, framing, telemetry, framework } = values
  const [tools, port, workers, page, maxLine] = ['tools', 'port', 'workers', 'page', 'max-line'].map((name) =>
    Number(values[name]),
  )
  return { transport, mode, schemas, framing, telemetry, framework, tools, port, workers, page, maxLine }
}
