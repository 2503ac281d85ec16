import { type Command, defineCommand } from '../command.ts'
import { CONNECTION_FLAGS } from '../command-line/flags.ts'
import { LISTEN_FLAGS } from '../command-line/listen-flags.ts'

const { header, env, cwd, root, log, timeout, 'protocol-version': protocolVersion } = CONNECTION_FLAGS

/** `portcall inspect` */
export const inspectCommand: Command = defineCommand({
  name: 'inspect',
  summary: 'Open the inspector: use, watch and debug servers in the browser',
  serverUse: 'many',
  args: ['[servers...]'],
  details: [
    'Connects to the servers and prints a link that opens the inspector once. Add further servers in the page. Everything stays on this machine: the page talks to this command, and only this command talks to servers.',
    'The programs of servers stop 30 seconds after the last page was closed, and at once with Ctrl-C.',
  ],
  flags: {
    port: { type: 'string', short: 'p', value: 'PORT', description: 'Port of the page (default: any free port)' },
    'no-open': { type: 'boolean', description: 'Do not open the browser' },
    header,
    env,
    cwd,
    'protocol-version': protocolVersion,
    root,
    log,
    timeout,
    'insecure-listen-on-address': {
      type: 'string',
      value: 'HOST',
      description: 'Listen on another address than 127.0.0.1: everyone who has the link can start programs here',
    },
    'allow-host': LISTEN_FLAGS['allow-host'],
  },
  examples: [
    'portcall inspect',
    'portcall inspect https://api.example.com/mcp',
    'portcall inspect .mcp.json:notes ./server.js',
    'portcall inspect --header "Authorization: Bearer $TOKEN" https://api.example.com/mcp',
  ],
  run: async (invocation) => {
    const { runInspector } = await import('../inspector/run.ts')
    return runInspector(invocation)
  },
})
