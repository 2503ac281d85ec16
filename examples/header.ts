import { createServer } from 'portcall'
import * as z from 'zod'

export const server = createServer({ name: 'databases', version: '1.0.0' })

const Query = z.object({ region: z.string().meta({ 'x-mcp-header': 'Region' }), text: z.string() })

server.tool('query', { description: 'Run a query in a region', input: Query }, ({ region, text }) => `${text} in ${region}`)
