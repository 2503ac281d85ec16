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
}

/**
 * What a server program of the bench is told.
 *
 * @typedef {object} ServerArguments
 * @property {'http' | 'stdio'} transport
 * @property {'modern' | 'session' | 'stateless'} mode over stdio, `session` is the legacy era
 * @property {number} tools how many tools are registered as fillers, the first counted as one of the others
 * @property {number} port 0 takes a free one; the program prints `{"port":N}` when it listens
 * @property {number} workers processes that answer
 * @property {number} page tools on one page of a list
 * @property {number} maxLine bytes of the longest line over stdio; 0 leaves the default
 * @property {'json' | 'zod'} schemas how the schemas of the tools are written
 * @property {'json' | 'stream'} framing how a server frames its answers that has to be told beforehand; only streams carry notifications
 */

/** @returns {ServerArguments} */
export function serverArguments() {
  const { values } = parseArgs({ options: OPTIONS })
  const { transport, mode, schemas, framing } = values
  const [tools, port, workers, page, maxLine] = ['tools', 'port', 'workers', 'page', 'max-line'].map((name) =>
    Number(values[name]),
  )
  return { transport, mode, schemas, framing, tools, port, workers, page, maxLine }
}
