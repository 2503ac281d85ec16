import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { httpHandler } from 'portcall/http'
import { port, server } from './server.ts'

// #region app
const mcp = httpHandler(server)
const app = new Hono()
app.all('/mcp', (context) => mcp(context.req.raw))
// #endregion
export const listening = serve({ fetch: app.fetch, port, hostname: '127.0.0.1' })
