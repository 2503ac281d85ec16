import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { calculateJwkThumbprint, createLocalJWKSet, decodeProtectedHeader, EmbeddedJWK, type JWTPayload, jwtVerify } from 'jose'
import type { AuthorizedSend, AuthProvider } from '../../src/protocol/authorizer.ts'
import { authorizationServer, type TestAuthorizationServer } from '../../src/testing/oauth/authorization-server.ts'
import type { AuthorizationServerOptions } from '../../src/testing/oauth/options.ts'

/** A protected endpoint that verifies DPoP proofs, and its authorization server. */
export interface DpopServer {
  readonly login: TestAuthorizationServer
  readonly endpoint: URL
  /** The claims of the accepted tokens. */
  readonly acceptedClaims: readonly JWTPayload[]
  /** The ids of all accepted proofs. */
  readonly proofs: readonly string[]
  /** The authorization servers in its metadata; tests may change them. */
  issuers: string[]
  /** The nonce that proofs must contain, if any. */
  nonce: string | undefined
  /** Rejects a token before it is verified. */
  rejects: (token: string) => boolean
  close(): Promise<void>
}

/** Starts both servers on this machine. */
export async function startDpopServer(options: AuthorizationServerOptions = {}): Promise<DpopServer> {
  const login = await authorizationServer(options)
  const server = createServer((request, response) => void handle(fixture, request, response))
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const endpoint = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`)
  const close = async () => {
    server.close().closeAllConnections()
    await login.close()
  }
  const acceptedClaims: JWTPayload[] = []
  const proofs: string[] = []
  const fixture: DpopServer = {
    login,
    endpoint,
    acceptedClaims,
    proofs,
    issuers: [login.issuer],
    nonce: undefined,
    rejects: () => false,
    close,
  }
  return fixture
}

async function handle(fixture: DpopServer, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { endpoint, issuers } = fixture
  if (request.url === '/.well-known/oauth-protected-resource/mcp') {
    response.end(JSON.stringify({ resource: endpoint.href, authorization_servers: issuers }))
    return
  }
  try {
    ;(fixture.acceptedClaims as JWTPayload[]).push(await verifyRequest(fixture, request))
    response.end('ok')
  } catch (error) {
    const [code, scheme] = [(error as Error).message, request.headers.authorization?.startsWith('DPoP') ? 'DPoP' : 'Bearer']
    if (fixture.nonce !== undefined) response.setHeader('dpop-nonce', fixture.nonce)
    response.setHeader('www-authenticate', `${scheme} error="${code}"`)
    response.writeHead(401).end()
  }
}

async function verifyRequest(fixture: DpopServer, { headers, method = '' }: IncomingMessage): Promise<JWTPayload> {
  const [scheme = '', token = ''] = headers.authorization?.split(' ') ?? []
  if (fixture.rejects(token)) throw new Error('invalid_token')
  const keys = createLocalJWKSet(fixture.login.keys as never)
  const { payload } = await jwtVerify(token, keys, { audience: fixture.endpoint.href }).catch(() => {
    throw new Error('invalid_token')
  })
  const { jkt } = (payload['cnf'] ?? {}) as { jkt?: string }
  if ((jkt === undefined ? 'Bearer' : 'DPoP') !== scheme) throw new Error('invalid_token')
  if (jkt !== undefined) await checkProof(fixture, { proof: String(headers.dpop), token, method, jkt })
  return payload
}

interface Proof {
  readonly proof: string
  readonly token: string
  readonly method: string
  readonly jkt: string
}

async function checkProof(fixture: DpopServer, { proof, token, method, jkt }: Proof): Promise<void> {
  const { payload } = await jwtVerify(proof, EmbeddedJWK, { typ: 'dpop+jwt', maxTokenAge: 60 })
  const ath = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(token))).toString('base64url')
  const thumbprint = await calculateJwkThumbprint(decodeProtectedHeader(proof).jwk ?? {})
  const isValid =
    payload['htm'] === method && payload['htu'] === fixture.endpoint.href && payload['ath'] === ath && thumbprint === jkt
  if (!isValid || fixture.proofs.includes(payload.jti ?? '')) throw new Error('invalid_dpop_proof')
  ;(fixture.proofs as string[]).push(payload.jti ?? '')
  if (fixture.nonce !== undefined && payload['nonce'] !== fixture.nonce) throw new Error('use_dpop_nonce')
}

/** Sends a request as a transport does, with the retries that its authorizer demands. Returns the status. */
export async function send(auth: AuthProvider, url: URL): Promise<number> {
  const authorizer = auth.authorizer(url)
  for (let retries = 0; ; retries++) {
    const headers = { ...(await authorizer.headers({ method: 'POST', url })) }
    const response = await fetch(url, { method: 'POST', headers })
    const sent: AuthorizedSend = { method: 'POST', url, headers, retries }
    const head = { status: response.status, header: (name: string) => response.headers.get(name) ?? undefined }
    if (!(await authorizer.onResponse(head, sent)) || retries === 6) return response.status
  }
}
