import { sha256Hex } from '../../../util/src/digest.ts'
import type { HttpInfo } from '../jsonrpc/exchange.ts'

/** A host that needs a domain in a form of its own. */
type DomainHost = 'claude' | 'chatgpt'

const BY_NAME: { readonly [name: string]: DomainHost } = { 'claude-ai': 'claude', 'openai-mcp': 'chatgpt' }
const BY_AGENT: readonly (readonly [RegExp, DomainHost])[] = [
  [/^claude-user\b/i, 'claude'],
  [/^openai-mcp\b/i, 'chatgpt'],
]

/** Returns the host behind a client, by its name, otherwise by its user agent. A domain in a foreign form ends rendering in some hosts. */
function hostOf({ clientName = '', http }: DomainRequest): DomainHost | undefined {
  if (Object.hasOwn(BY_NAME, clientName)) return BY_NAME[clientName]
  const agent = http?.header('user-agent') ?? ''
  return BY_AGENT.find(([pattern]) => pattern.test(agent))?.[1]
}

const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/i

/** Returns the URL of a request as its client sees it. Hosts in the cloud reach servers over HTTPS only. */
function urlOf(http: HttpInfo | undefined): string | undefined {
  const host = http?.header('host')
  if (http?.target === undefined || host === undefined || !/^[a-z0-9.[\]:-]+$/i.test(host)) return undefined
  if (/^https?:/i.test(http.target)) return http.target
  return `${LOOPBACK.test(host) ? 'http' : 'https'}://${host}${http.target}`
}

/** The facts that the domain of a view depends on. */
export interface DomainRequest {
  /** The name of the client. */
  readonly clientName: string | undefined
  /** The HTTP request of the client. */
  readonly http: HttpInfo | undefined
  /** The URL of the server as its users enter it. Default: from the request. */
  readonly url?: string | URL | undefined
}

/**
 * Returns the domain on which the host of a client shows the views of a server, or `undefined` if the host needs none or the URL of the server is not
 * known.
 */
export async function autoDomain(request: DomainRequest): Promise<string | undefined> {
  const host = hostOf(request)
  const url = request.url === undefined ? urlOf(request.http) : String(request.url)
  if (host === undefined || url === undefined) return undefined
  if (host === 'claude') return claudeDomain(url)
  const { origin, protocol } = new URL(url)
  return protocol === 'https:' ? origin : undefined
}

/** The end of the domains of Claude. */
export const CLAUDE_DOMAIN = '.claudemcpcontent.com'
const CLAUDE_HASH_LENGTH = 32

/** Returns the domain under which Claude shows the views of the server at a URL, exactly as its users enter it. */
export async function claudeDomain(url: string): Promise<string> {
  return `${(await sha256Hex(url)).slice(0, CLAUDE_HASH_LENGTH)}${CLAUDE_DOMAIN}`
}
