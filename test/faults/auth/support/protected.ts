import { type AuthorizationServerOptions, authorizationServer, type TestAuthorizationServer } from 'portcall/testing'
import { onTestFinished } from 'vitest'
import { modern } from '../../client/support/eras.ts'
import { type Handler, type RawAnswer, type RawRequest, type RawServer, testRaw } from '../../client/support/raw-server.ts'

/** What a server that wants tokens does, where it is not as it should be. */
export interface ProtectedChoice {
  /** What it does for callers with a token. Default: a good server of the stateless era. */
  readonly serve?: Handler
  /** Whether a token is good. Default: any. */
  readonly accepts?: (token: string, request: RawRequest) => boolean
  /** The challenge for callers without a good token. */
  readonly challenge?: (url: URL) => string
  /** Laid over the metadata of the resource. */
  readonly metadata?: (url: URL) => Readonly<Record<string, unknown>>
  /** Answers before all else; whether it did. */
  readonly first?: (request: RawRequest, answer: RawAnswer) => boolean
  /** How the authorization server is. */
  readonly login?: AuthorizationServerOptions
}

/** A server that wants tokens, and the authorization server that gives them. */
export interface Protected extends RawServer {
  readonly login: TestAuthorizationServer
  /** The tokens that came with calls, in order. */
  readonly tokens: readonly string[]
}

const METADATA = '/.well-known/oauth-protected-resource'
const JSON_TYPE = { 'Content-Type': 'application/json' }

/** Starts an authorization server until the test is over. */
export async function testLogin(options: AuthorizationServerOptions = {}): Promise<TestAuthorizationServer> {
  const login = await authorizationServer(options)
  onTestFinished(() => login.close())
  return login
}

/** Starts both until the test is over. */
export async function testProtected(choice: ProtectedChoice = {}): Promise<Protected> {
  const { serve = modern({}), accepts = () => true, metadata = () => ({}), challenge = challengeOf, first } = choice
  const login = await testLogin(choice.login)
  const tokens: string[] = []
  const server: RawServer = await testRaw((request, answer) => {
    const url = new URL(server.url)
    if (first?.(request, answer)) return
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

/** The challenge of a good server. */
export function challengeOf({ origin, pathname }: URL): string {
  return `Bearer resource_metadata="${origin}${METADATA}${pathname}", scope="notes:read"`
}
