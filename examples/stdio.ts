import { createServer } from 'portcall'
import { serveStdio } from 'portcall/stdio'
import * as z from 'zod'

const server = createServer({ name: 'hello', version: '1.0.0' })

server.tool('greet', { description: 'Greet a person', input: z.object({ name: z.string() }) }, ({ name }) => `Hello, ${name}!`)

await serveStdio(server)
