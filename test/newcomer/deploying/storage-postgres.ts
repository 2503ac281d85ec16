import { Pool } from 'pg'
import { createServer } from 'portcall'
import { serve } from 'portcall/node'
import { postgresStores } from 'portcall/stores/postgres'

const stores = postgresStores(new Pool({ connectionString: process.env.DATABASE_URL ?? 'postgres://localhost/mcp' }))
const server = createServer({ name: 'hello', version: '1.0.0' }, { stores })
server.tool('ping', { description: 'Check that the server responds' }, () => 'pong')

const { url } = await serve(server, { port: Number(process.env.PORT ?? 3000) })
console.log(`Listening at ${url}`)
