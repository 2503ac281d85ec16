/** An endpoint for platforms with `Request` and `Response`. */
import { createServer } from 'portcall'
import { httpHandler } from 'portcall/http'

const server = createServer({ name: 'fetch', version: '1.0.0' })
server.tool('ping', { description: 'Answers' }, () => 'pong')

// #region handler
export const handler = httpHandler(server, { allowedHosts: ['mcp.example.com'] })
// #endregion
