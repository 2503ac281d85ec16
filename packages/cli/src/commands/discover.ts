import { sanitize } from '../../../util/src/printable.ts'
import { type Command, defineCommand } from '../command.ts'
import { withClient } from '../target/connect.ts'

/** `portcall discover` */
export const discoverCommand: Command = defineCommand({
  name: 'discover',
  summary: 'Show server info and capabilities',
  serverUse: 'connect',
  args: [],
  details: [
    'Prints the name, the capabilities and the instructions of the server, and the protocol version that was negotiated.',
  ],
  flags: {},
  examples: ['portcall discover https://api.example.com/mcp'],
  run: async ({ io, ...invocation }) =>
    withClient({ ...invocation, io }, async (client) => {
      const { serverInfo, ...result } = await client.discover({ signal: io.signal })
      const { protocolVersion } = client
      if (io.json) return io.value({ ...result, ...(serverInfo && { serverInfo }), protocolVersion })
      const { name = 'unnamed server', title, version = '', description, websiteUrl } = serverInfo ?? {}
      io.line(`${title ?? name} ${version}`.trim())
      for (const line of [description, websiteUrl]) if (line) io.line(line)
      io.line(`protocol version: ${protocolVersion}`)
      io.line(`capabilities: ${Object.keys(result.capabilities).join(', ') || 'none'}`)
      if (result.instructions) io.data(`\n${sanitize(result.instructions)}`)
    }),
})
