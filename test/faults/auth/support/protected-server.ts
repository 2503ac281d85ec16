import { type AuthorizationServerOptions, authorizationServer, type TestAuthorizationServer } from 'portcall/testing'
import { onTestFinished } from 'vitest'
import { modern } from '../../client/support/eras.ts'
import { type Handler, type RawAnswer, type RawRequest, type RawServer, testRaw } from '../../client/support/raw-server.ts'

/** The deviations of a protected server from the correct behavior. */
export interface ProtectedServerOptions {
  /** Serves callers with a valid token. Default: a correct server of the stateless era. */
  readonly serve?: Handler
  /** Reports whether a token is valid. Default: any. */
  readonly accepts?: (token: string, request: RawRequest) => boolean
  /** Returns the challenge for callers without a valid token. */
  readonly challenge?: (url: URL) => string
  /** Overrides members of the resource metadata. */
  readonly metadata?: (url: URL) => Readonly<Record<string, unknown>>
  /** Handles a request before anything else. Returns whether it did. */
  readonly intercept?: (request: RawRequest, answer: RawAnswer) => boolean
  /** The options of the authorization server. */
  readonly login?: AuthorizationServerOptions
}

/** A protected server and its authorization server. */
export interface ProtectedServer extends RawServer {
  readonly login: TestAuthorizationServer
  /** The tokens of all calls, in order. */
  readonly tokens: readonly string[]
}

const METADATA = '/.well-known/oauth-protected-resource'
const JSON_TYPE = { 'Content-Type': 'application/json' }

/** Starts an authorization server until the test ends. */
export async function testAuthorizationServer(options: AuthorizationServerOptions = {}): Promise<TestAuthorizationServer> {
  const login = await authorizationServer(options)
  onTestFinished(() => login.close())
  return login
}

/** Starts both servers until the test ends. */
export async function testProtectedServer(choice: ProtectedServerOptions = {}): Promise<ProtectedServer> {
  const { serve = modern({}), accepts = () => true, metadata = () => ({}), challenge = challengeOf, intercept } = choice
  const login = await testAuthorizationServer(choice.login)
  const tokens: string[] = []
  const server: RawServer = await testRaw((request, answer) => {
    const url = new URL(server.url)
    if (intercept?.(request, answer)) return
    if (request.target.startsWith(METADATA)) {
      const document = { resource: server.url, authorization_servers: [login.issuer], ...metadata(url) }
      return answer.send(200, JSON_TYPE, JSON.stringify(document))
    }
    const token = /^(?:Bearer|DPoP) (.+)$/.exec(request.headers['authorization'] ?? '')?.[1]
    if (token !== undefined) tokens.push(token)
    if (token !== undefined && accepts(token, request)) return serve(request, answer)
    answer.send(401, { 'WWW-Authenticate': challenge(url), 'Content-Type': 'text/plain' }, 'no')
  })
  return Object.assign(Object.create(server) as RawServer, { login, tokens })
}

/** Returns the challenge of a correct server. */
export function challengeOf({ origin, pathname }: URL): string {
  return `Bearer resource_metadata="${origin}${METADATA}${pathname}", scope="notes:read"`
}
