import type { Client, WireObserver, WireSender } from 'portcall/client'
import type { JsonObject } from 'portcall/jsonrpc'
import { sanitize } from '../../../util/src/printable.ts'
import { buildArguments, readArguments } from '../arguments.ts'
import { usageError } from '../cli-error.ts'
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
  flags: {
    untranslated: { type: 'boolean', description: 'Send the request to an older server without converting it' },
    notification: { type: 'boolean', description: 'Send a notification, without converting it' },
  },
  examples: [
    'portcall raw http://127.0.0.1:3000/mcp tools/list',
    'portcall raw http://127.0.0.1:3000/mcp tools/call name=greet arguments:=\'{"name":"Ada"}\'',
    'portcall raw http://127.0.0.1:3000/mcp ping --untranslated',
  ],
  async run({ args: [method = '', ...words], flags, io, ...invocation }) {
    const params = buildArguments(await readArguments(words))
    const given = words.length > 0 ? params : undefined
    let sender: WireSender | undefined
    const wire: WireObserver = {
      onOpen(opened) {
        sender = opened
      },
    }
    const notify = async (): Promise<void> => {
      if (!sender) throw usageError('--notification needs a server with a URL or a program')
      await sender.notify({ jsonrpc: '2.0', method, ...(given && { params: given }) })
    }
    const send = async (client: Client): Promise<JsonObject | undefined> => {
      if (flags.notification) return void (await notify())
      if (flags.untranslated && sender?.request) return sender.request(method, given, { signal: io.signal })
      const onNotification = (received: unknown): void => io.draw(`${sanitize(JSON.stringify(received))}\n`)
      return client.request(method, params, { signal: io.signal, onNotification })
    }
    await withClient({ ...invocation, flags, io, fallbackHandlers: { wire } }, async (client) => {
      const result = await send(client)
      if (result === undefined) return
      if (io.json) io.value(result)
      else io.data(JSON.stringify(result, null, 2))
    })
  },
})
