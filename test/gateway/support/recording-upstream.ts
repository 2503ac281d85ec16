/**
 * A server that appends the id of each call that it executes to a file. A call with `hold` is never answered. Arguments: the file, and a port;
 * without one, it serves over stdio and its first line of the file is its process id.
 */
import { appendFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { createServer } from 'portcall'
import { serve } from 'portcall/node'
import { serveStdio } from 'portcall/stdio'

const [file = '', port] = process.argv.slice(2)
const input = {
  type: 'object',
  properties: { id: { type: 'string' }, hold: { type: 'boolean' } },
  required: ['id'],
} as const
const server = createServer({ name: 'recording', version: '1' }).tool('work', { input }, async ({ id, hold }) => {
  appendFileSync(file, `${id}\n`)
  await delay(1)
  if (hold) await new Promise(() => {})
  return id
})

if (port === undefined) {
  appendFileSync(file, `pid ${process.pid}\n`)
  await serveStdio(server)
} else {
  await serve(server, { port: Number(port) })
  process.send?.('listening')
}
