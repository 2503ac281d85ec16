import { createServer } from 'portcall'
import * as z from 'zod'

export const server = createServer({ name: 'reports', version: '1.0.0' })

const CHART = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const SPEECH = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA='
const SALES = 'month,total\n2026-01,100\n2026-02,104\n'

server.resource('report://sales.csv', { mimeType: 'text/csv' }, () => SALES)

server.tool('report', { description: 'Create the sales report' }, () => [
  { type: 'text', text: 'Sales rose by 4 %.', annotations: { audience: ['user', 'assistant'], priority: 1 } },
  { type: 'image', data: CHART, mimeType: 'image/png' },
  { type: 'audio', data: SPEECH, mimeType: 'audio/wav' },
  { type: 'resource', resource: { uri: 'report://summary', mimeType: 'text/markdown', text: '# Summary\n' } },
  { type: 'resource_link', uri: 'report://sales.csv', name: 'sales.csv', mimeType: 'text/csv', size: SALES.length },
])

const Total = z.object({ total: z.number() })

server.tool('total', { description: 'Get the total of all sales', output: Total }, () => ({
  structuredContent: { total: 204 },
  content: [{ type: 'text', text: 'A total of 204' }],
}))
