import Koa from 'koa'
import { nodeHandler } from 'portcall/node'
import { port, server } from './server.ts'

// #region app
const mcp = nodeHandler(server, { path: '/mcp' })
const app = new Koa()
app.use((context) => {
  context.respond = false
  return mcp(context.req, context.res)
})
export const listening = app.listen(port, '127.0.0.1')
// #endregion
