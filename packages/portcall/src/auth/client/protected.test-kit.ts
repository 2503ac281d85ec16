import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { calculateJwkThumbprint, createLocalJWKSet, decodeProtectedHeader, EmbeddedJWK, type JWTPayload, jwtVerify } from 'jose'
import type { AuthProvider, SentRequest } from '../../protocol/authorizer.ts'
import { type AuthorizationServerOptions, authorizationServer, type TestAuthorizationServer } from '../../testing.ts'

/** A protected endpoint, its authorization server, and what it was asked. */
export interface ProtectedSite {
  readonly login: TestAuthorizationServer
  readonly endpoint: URL
  /** What the requests that were let in have proven. */
  readonly callers: readonly JWTPayload[]
  /** The ids of all proofs. */
  readonly proofs: readonly string[]
  /** What the endpoint says about who issues tokens for it; may be changed. */
  issuers: string[]
  /** Demanded in proofs, when there is one. */
  nonce: string | undefined
  /** Refuses a token before it is looked at. */
  refuses: (token: string) => boolean
  close(): Promise<void>
}

/** Starts both on this machine. */
export async function protectedSite(options: AuthorizationServerOptions = {}): Promise<ProtectedSite> {
  const login = await authorizationServer(options)
  const server = createServer((request, response) => void answer(site, request, response))
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const endpoint = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`)
  const close = async () => {
    server.close().closeAllConnections()
    await login.close()
  }
  const callers: JWTPayload[] = []
  const proofs: string[] = []
  const site: ProtectedSite = {
    login,
    endpoint,
    callers,
    proofs,
    issuers: [login.issuer],
    nonce: undefined,
    refuses: () => false,
    close,
  }
  return site
}

async function answer(site: ProtectedSite, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { endpoint, issuers } = site
  if (request.url === '/.well-known/oauth-protected-resource/mcp') {
    response.end(JSON.stringify({ resource: endpoint.href, authorization_servers: issuers }))
    return
  }
  try {
    ;(site.callers as JWTPayload[]).push(await admit(site, request))
    response.end('in')
  } catch (error) {
    const [code, scheme] = [(error as Error).message, request.headers.authorization?.startsWith('DPoP') ? 'DPoP' : 'Bearer']
    if (site.nonce !== undefined) response.setHeader('dpop-nonce', site.nonce)
    response.setHeader('www-authenticate', `${scheme} error="${code}"`)
    response.writeHead(401).end()
  }
}

async function admit(site: ProtectedSite, { headers, method = '' }: IncomingMessage): Promise<JWTPayload> {
  const [scheme = '', token = ''] = headers.authorization?.split(' ') ?? []
  if (site.refuses(token)) throw new Error('invalid_token')
  const keys = createLocalJWKSet(site.login.keys as never)
  const { payload } = await jwtVerify(token, keys, { audience: site.endpoint.href }).catch(() => {
    throw new Error('invalid_token')
  })
  const { jkt } = (payload['cnf'] ?? {}) as { jkt?: string }
  if ((jkt === undefined ? 'Bearer' : 'DPoP') !== scheme) throw new Error('invalid_token')
  if (jkt !== undefined) await checkProof(site, { proof: String(headers.dpop), token, method, jkt })
  return payload
}

interface Proof {
  readonly proof: string
  readonly token: string
  readonly method: string
  readonly jkt: string
}

async function checkProof(site: ProtectedSite, { proof, token, method, jkt }: Proof): Promise<void> {
  const { payload } = await jwtVerify(proof, EmbeddedJWK, { typ: 'dpop+jwt', maxTokenAge: 60 })
  const ath = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(token))).toString('base64url')
  const thumbprint = await calculateJwkThumbprint(decodeProtectedHeader(proof).jwk ?? {})
  const isRight =
    payload['htm'] === method && payload['htu'] === site.endpoint.href && payload['ath'] === ath && thumbprint === jkt
  if (!isRight || site.proofs.includes(payload.jti ?? '')) throw new Error('invalid_dpop_proof')
  ;(site.proofs as string[]).push(payload.jti ?? '')
  if (site.nonce !== undefined && payload['nonce'] !== site.nonce) throw new Error('use_dpop_nonce')
}

/** Sends a request as a transport does, and again when its authorizer says so. Gives the status. */
export async function send(auth: AuthProvider, url: URL): Promise<number> {
  const authorizer = auth.authorizer(url)
  for (let retries = 0; ; retries++) {
    const headers = { ...(await authorizer.headers({ method: 'POST', url })) }
    const response = await fetch(url, { method: 'POST', headers })
    const sent: SentRequest = { method: 'POST', url, headers, retries }
    const answer = { status: response.status, header: (name: string) => response.headers.get(name) ?? undefined }
    if (!(await authorizer.answered(answer, sent)) || retries === 6) return response.status
  }
}
