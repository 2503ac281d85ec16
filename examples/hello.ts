import { createServer } from 'portcall'
import { serve } from 'portcall/node'
import * as z from 'zod'

const server = createServer({ name: 'hello', version: '1.0.0' })

server.tool('greet', { description: 'Greet a person', input: z.object({ name: z.string() }) }, ({ name }) => `Hello, ${name}!`)

const { url } = await serve(server, { port: Number(process.env.PORT ?? 3000) })
console.log(`Listening at ${url}`)
