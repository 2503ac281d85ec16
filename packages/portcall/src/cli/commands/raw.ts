import { assemble } from '../arguments/coerce.ts'
import { readPairs } from '../arguments/pair.ts'
import { type Command, defineCommand } from '../command.ts'
import { withClient } from '../target/open.ts'

/** `portcall raw`: any request. */
export const raw: Command = defineCommand({
  name: 'raw',
  summary: 'Sends any request',
  takes: 'target',
  words: ['METHOD', '[PARAM …]'],
  details: [
    `Each PARAM is name=text, name:=json or @file. The request is one of the newest revision; for an older server it is translated. The result
is printed as JSON; what the server tells meanwhile goes to stderr.`,
  ],
  flags: {},
  examples: [
    'portcall raw http://127.0.0.1:3000/mcp tools/list',
    'portcall raw http://127.0.0.1:3000/mcp tools/call name=greet arguments:=\'{"name":"Ada"}\'',
  ],
  run: async ({ words: [method = '', ...rest], io, ...given }) =>
    withClient({ ...given, io }, async (client) => {
      const params = assemble(await readPairs(rest))
      const onNotification = (notification: unknown): void => io.talk(JSON.stringify(notification))
      const result = await client.request(method, params, { signal: io.signal, onNotification })
      if (io.json) io.value(result)
      else io.data(JSON.stringify(result, null, 2))
    }),
})
