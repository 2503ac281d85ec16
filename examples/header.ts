/** An argument that is mirrored in an HTTP header, so that proxies can route by it. */
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
