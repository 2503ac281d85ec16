import { createServer } from 'portcall'
import { serve } from 'portcall/node'
import { sqliteStores } from 'portcall/stores/sqlite'

const stores = sqliteStores('state.db')
const server = createServer({ name: 'hello', version: '1.0.0' }, { stores })
server.tool('ping', { description: 'Check that the server responds' }, () => 'pong')

const { url } = await serve(server, { port: Number(process.env.PORT ?? 3000) })
console.log(`Listening at ${url}`)
