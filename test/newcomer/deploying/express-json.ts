import express from 'express'
import { nodeHandler } from 'portcall/node'
import { port, server } from './server.ts'

const app = express()
app.use(express.json())
app.all('/mcp', nodeHandler(server))
export const listening = app.listen(port, '127.0.0.1')
