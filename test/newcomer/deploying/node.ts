import { serve } from 'portcall/node'
import { port, server } from './server.ts'

// #region serve
const serving = await serve(server, { port, allowedHosts: ['mcp.example.com', 'localhost', '127.0.0.1'] })
console.error(`Listening at ${serving.url}`)

// #endregion
export { serving }
