/** CLIs from start to exit: help, the contents of a server, one call. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { cpuSecondsOfChildren } from '../harness/accounting.mjs'
import { onLoadCore, onServerCore } from '../harness/cores.mjs'
import { startServer } from '../harness/server.mjs'
import { INSPECTOR as LAUNCHER, NODE, PORTCALL } from './command-lines.mjs'

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url))

const INSPECTOR = [...LAUNCHER, '--cli']
const MCPORTER = at('commands/node_modules/mcporter/dist/cli.js')

/** The command line of each cell, by subject; `url` is that of a server. */
const LINES = {
  baseline: {
    help: () => [at('baseline/command.mjs'), 'help'],
    list: (url) => [at('baseline/command.mjs'), 'tools/list', url],
    call: (url) => [at('baseline/command.mjs'), 'tools/call', url],
  },
  portcall: {
    help: () => [PORTCALL, '--help'],
    list: (url) => [PORTCALL, 'list', url, '--json'],
    call: (url) => [PORTCALL, 'call', url, 'add', 'a=1', 'b=2', '--json'],
  },
  inspector: {
    help: () => [...INSPECTOR, '--help'],
    list: (url) => [...INSPECTOR, url, '--transport', 'http', '--method', 'tools/list'],
    call: (url) => [
      ...INSPECTOR,
      ...[url, '--transport', 'http', '--method', 'tools/call', '--tool-name', 'add', '--tool-arg', 'a=1', 'b=2'],
    ],
  },
  mcporter: {
    help: () => [MCPORTER, '--help'],
    list: (url) => [MCPORTER, 'list', url, '--allow-http', '--json'],
    call: (url) => [MCPORTER, 'call', `${url}.add`, '--allow-http', 'a=1', 'b=2'],
  },
}

/** Text that the output must contain, so that doing nothing does not win. */
const PROOF = { help: /\w/, list: /"add"/, call: /"sum"\s*:\s*3|\\"sum\\":3/ }

async function run(args) {
  const child = spawn(...Object.values(onServerCore({ command: NODE, args })), { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
  const [code] = await once(child, 'close')
  return { code, output }
}

export const COMMANDS = [
  {
    id: 'commands',
    title: 'Commands, from start to end',
    columns: ['wholeMs', 'wholeCpuMs'],
    subjects: Object.keys(LINES),
    cells: [
      { id: 'help', title: 'help' },
      { id: 'list', title: 'the tools of a server' },
      { id: 'call', title: 'one call' },
    ],
    rounds: 11,
    peerRounds: 5,
    async open(name) {
      const server = await startServer('portcall', { mode: 'session', tools: 1 }, { onCore: onLoadCore })
      return { name, url: `http://127.0.0.1:${server.port}/mcp`, close: () => server.close() }
    },
    async measure({ name, url }, { id }) {
      const [cpuBefore, startedAt] = [cpuSecondsOfChildren(), performance.now()]
      const { code, output } = await run(LINES[name][id](url))
      const wholeMs = performance.now() - startedAt
      if (code !== 0 || !PROOF[id].test(output)) throw new Error(`${name} ended with ${code}: ${output.slice(0, 200)}`)
      return { wholeMs, wholeCpuMs: 1000 * (cpuSecondsOfChildren() - cpuBefore) }
    },
  },
]
