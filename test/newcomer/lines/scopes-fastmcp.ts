import { FastMCP, requireScopes } from 'fastmcp'
import { createRemoteJWKSet, jwtVerify } from 'jose'

const issuer = process.env.ISSUER ?? 'https://login.example.com'
const resource = `http://127.0.0.1:${process.env.PORT}/mcp`
const keys = createRemoteJWKSet(new URL(`${issuer}/jwks`))

const server = new FastMCP({
  name: 'notes',
  version: '1.0.0',
  oauth: {
    enabled: true,
    protectedResource: { resource, authorizationServers: [issuer], scopesSupported: ['notes:read', 'notes:write'] },
  },
  authenticate: async (request) => {
    const token = request.headers.authorization?.replace(/^Bearer /, '') ?? ''
    const verified = await jwtVerify(token, keys, { issuer, audience: resource }).catch(() => undefined)
    if (!verified) throw new Response('Unauthorized', { status: 401 })
    const { sub, scope } = verified.payload as { sub?: string; scope?: string }
    return { accessToken: token, subject: sub, scopes: scope?.split(' ') ?? [] }
  },
})

server.addTool({
  name: 'list',
  canAccess: requireScopes('notes:read'),
  execute: async (_, { session }) => `Notes of ${session?.subject}`,
})
server.addTool({
  name: 'erase',
  canAccess: requireScopes('notes:write'),
  execute: async () => 'All notes were deleted',
})

await server.start({ transportType: 'httpStream', httpStream: { port: Number(process.env.PORT) } })
