/** An argument that is repeated in an HTTP header, for proxies to route by. */
import { createServer } from 'portcall'
import * as z from 'zod'

export const server = createServer({ name: 'header', version: '1.0.0' })

// #region headers
server.tool(
  'query',
  {
    description: 'Runs a query in a region',
    input: z.object({ region: z.string().meta({ 'x-mcp-header': 'Region' }), text: z.string() }),
  },
  ({ region, text }) => `${text} in ${region}`,
)
// #endregion
