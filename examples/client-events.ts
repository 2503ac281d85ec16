import { type ClientEvent, connect } from 'portcall/client'

const client = await connect(process.argv[2] ?? 'http://127.0.0.1:3000/mcp', { logLevel: 'info', onEvent: print })
console.log(client.status)
await client.callTool('work')
await client.close()
console.log(client.status)

function print(event: ClientEvent): void {
  switch (event.type) {
    case 'disconnected':
      return console.log('disconnected:', event.error)
    case 'reconnected':
      return console.log('reconnected')
    case 'log':
      return console.log(`${event.level} from the server:`, event.data)
    case 'warning':
      return console.log('warning:', event.message)
    case 'unexpected-message':
      return console.log(`unexpected ${event.kind}: ${event.text}`)
  }
}
