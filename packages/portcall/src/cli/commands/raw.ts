import { buildArguments, readArguments } from '../arguments.ts'
import { type Command, defineCommand } from '../command.ts'
import { withClient } from '../target/connect.ts'

/** `portcall raw` */
export const rawCommand: Command = defineCommand({
  name: 'raw',
  summary: 'Send a raw request',
  serverUse: 'connect',
  args: ['<method>', '[params...]'],
  details: [
    'Pass parameters as name=text, name:=json or @file, in the format of the newest protocol version. For an older server, the request is converted.',
    'The result is printed as JSON. Notifications are printed to stderr.',
  ],
  flags: {},
  examples: [
    'portcall raw http://127.0.0.1:3000/mcp tools/list',
    'portcall raw http://127.0.0.1:3000/mcp tools/call name=greet arguments:=\'{"name":"Ada"}\'',
  ],
  run: async ({ args: [method = '', ...words], io, ...invocation }) =>
    withClient({ ...invocation, io }, async (client) => {
      const params = buildArguments(await readArguments(words))
      const onNotification = (notification: unknown): void => io.log(JSON.stringify(notification))
      const result = await client.request(method, params, { signal: io.signal, onNotification })
      if (io.json) io.value(result)
      else io.data(JSON.stringify(result, null, 2))
    }),
})
