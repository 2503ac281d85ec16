import { createServer } from 'portcall'

export const server = createServer({ name: 'projects', version: '1.0.0' })

server.tool('list_projects', { description: 'List the open projects' }, async (_, call) => {
  const roots = await call.roots()
  return roots.map(({ uri, name = 'unnamed' }) => `${name}: ${uri}`).join('\n')
})
