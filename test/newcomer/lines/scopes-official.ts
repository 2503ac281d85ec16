import { createServer } from 'node:http'
import { toNodeHandler } from '@modelcontextprotocol/node'
import {
  createMcpHandler,
  getOAuthProtectedResourceMetadataUrl,
  McpServer,
  OAuthError,
  OAuthErrorCode,
  oauthMetadataResponse,
  requireBearerAuth,
  requireScopes,
} from '@modelcontextprotocol/server'
import { createRemoteJWKSet, jwtVerify } from 'jose'

const issuer = process.env.ISSUER ?? 'https://login.example.com'
const resource = new URL(`http://127.0.0.1:${process.env.PORT}/mcp`)
const keys = createRemoteJWKSet(new URL(`${issuer}/jwks`))

const verifyAccessToken = async (token: string) => {
  const { payload } = await jwtVerify(token, keys, { issuer, audience: resource.href }).catch((error) => {
    throw new OAuthError(OAuthErrorCode.InvalidToken, error.message)
  })
  const { sub, client_id, scope, exp } = payload as { sub?: string; client_id?: string; scope?: string; exp: number }
  return { token, clientId: client_id ?? '', scopes: scope?.split(' ') ?? [], expiresAt: exp, resource, extra: { sub } }
}
const resourceMetadataUrl = getOAuthProtectedResourceMetadataUrl(resource)
const authenticate = requireBearerAuth({ verifier: { verifyAccessToken }, requiredScopes: ['notes:read'], resourceMetadataUrl })
const oauthMetadata = await (await fetch(`${issuer}/.well-known/oauth-authorization-server`)).json()

const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'notes', version: '1.0.0' })
  server.registerTool('list', { scopeChallenge: requireScopes('notes:read') }, ({ http }) => ({
    content: [{ type: 'text', text: `Notes of ${http?.authInfo?.extra?.sub}` }],
  }))
  server.registerTool('erase', { scopeChallenge: requireScopes('notes:write') }, () => ({
    content: [{ type: 'text', text: 'All notes were deleted' }],
  }))
  return server
})
const fetchHandler = async (request: Request) => {
  const metadata = oauthMetadataResponse(request, { oauthMetadata, resourceServerUrl: resource })
  if (metadata) return metadata
  const authInfo = await authenticate(request)
  return authInfo instanceof Response ? authInfo : handler.fetch(request, { authInfo })
}
createServer(toNodeHandler({ fetch: fetchHandler })).listen(Number(process.env.PORT), '127.0.0.1')
