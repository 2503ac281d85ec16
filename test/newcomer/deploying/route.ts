import { httpHandler } from 'portcall/http'
import { server } from './server.ts'

// #region route
const mcp = httpHandler(server, { allowedHosts: ['mcp.example.com', 'localhost', '127.0.0.1'], legacy: 'stateless' })

export { mcp as DELETE, mcp as GET, mcp as POST }
// #endregion
