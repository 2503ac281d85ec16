/**
 * A proxy that does nothing but copy: each connection has one to the server, and bytes pass in both directions unread. It shows what the sockets
 * alone cost, which no gateway in one process can go below.
 */
import { connect, createServer } from 'node:net'
import { parseArgs } from 'node:util'
import { tellPort } from '../servers/workers.mjs'

const { values } = parseArgs({ options: { port: { type: 'string' } } })

const server = createServer({ noDelay: true }, (client) => {
  const upstream = connect({ port: Number(values.port), host: '127.0.0.1', noDelay: true })
  const close = () => {
    client.destroy()
    upstream.destroy()
  }
  for (const [from, to] of [
    [client, upstream],
    [upstream, client],
  ])
    from
      .on('data', (chunk) => to.write(chunk))
      .on('error', close)
      .on('close', close)
})
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => tellPort(server.address().port))
