import express from 'express'
import { nodeHandler } from 'portcall/node'
import { port, server } from './server.ts'

// #region app
const app = express()
app.all('/mcp', nodeHandler(server)) // with or without express.json() before it
export const listening = app.listen(port, '127.0.0.1')
// #endregion
