import { createServer } from 'portcall'

export const server = createServer({ name: 'accounts', version: '1.0.0' })

// Callers without the scope are told which one they need
server.tool('export', { description: 'Export all accounts', scopes: ['accounts:read'] }, () => 'id,name')

// For other callers, this tool does not exist
server.tool(
  'purge',
  { description: 'Delete all accounts', visible: (call) => call.auth?.scopes?.includes('admin') ?? false },
  () => 'Deleted',
)
