import { usageError } from '../cli-error.ts'
import { type Command, defineCommand } from '../command.ts'
import { CONNECTION_FLAGS } from '../command-line/flags.ts'
import { openRecordingFile } from '../sessions/recording-file.ts'
import { createBridge, serveBridge } from './bridge.ts'

/** `portcall record` */
export const recordCommand: Command = defineCommand({
  name: 'record',
  summary: 'Record the messages between a host and a server',
  serverUse: 'locate',
  args: [],
  details: [
    'Runs between a host and a server, like portcall bridge: configure the host to start this command, or to connect to --http. Each request, response and notification is a line of the file, in the format of portcall/testing and in the newest protocol version, whatever the versions of both sides.',
    'Tokens, passwords, keys and other secrets are replaced before anything is written. To record a single command instead, add --record FILE to it.',
  ],
  flags: {
    out: { type: 'string', short: 'o', value: 'FILE', description: 'The file to write; an existing one is replaced' },
    redact: { type: 'string', multiple: true, value: 'NAME', description: 'Also redact the values of members with this name' },
    http: { type: 'string', value: 'PORT', description: 'Serve over HTTP on this port instead of stdio (0: any free port)' },
    header: CONNECTION_FLAGS.header,
    env: CONNECTION_FLAGS.env,
    cwd: CONNECTION_FLAGS.cwd,
    'protocol-version': {
      ...CONNECTION_FLAGS['protocol-version'],
      description: 'Use only this protocol version with the server',
    },
    verbose: { type: 'boolean', short: 'v', description: 'Show warnings and the stderr of the server' },
  },
  examples: [
    'portcall record --out session.ndjson -- node server.js',
    'portcall record https://api.example.com/mcp --out session.ndjson --http 3333',
    'portcall call https://api.example.com/mcp search query=x --record call.ndjson',
  ],
  async run({ server, flags, io }) {
    if (flags.out === undefined) throw usageError('record needs --out FILE')
    const { resolveTarget } = await import('../target/resolve.ts')
    const resolved = await resolveTarget(server, flags)
    const middleware = [await openRecordingFile(flags.out, flags.redact)]
    return serveBridge(await createBridge(resolved, { flags, io, middleware }), { resolved, io, http: flags.http })
  },
})
