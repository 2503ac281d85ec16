import type { HttpInfo } from '../jsonrpc/exchange.ts'
import type { Call } from '../server/call.ts'
import { sha256Hex } from './hex.ts'

/** A host that needs a domain in a form of its own. */
type DomainHost = 'claude' | 'chatgpt'

const BY_NAME: { readonly [name: string]: DomainHost } = { 'claude-ai': 'claude', 'openai-mcp': 'chatgpt' }
const BY_AGENT: readonly (readonly [RegExp, DomainHost])[] = [
  [/^claude-user\b/i, 'claude'],
  [/^openai-mcp\b/i, 'chatgpt'],
]

/** Returns the host behind a client, by its name, otherwise by its user agent. A domain in a foreign form ends rendering in some hosts. */
function hostOf(call: Pick<Call, 'client' | 'header'>): DomainHost | undefined {
  const name = call.client.info?.name ?? ''
  if (Object.hasOwn(BY_NAME, name)) return BY_NAME[name]
  const agent = call.header('user-agent') ?? ''
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

/** Returns the domain that `'auto'` stands for, or `undefined` if the client's host needs none or its URL is not known. */
export async function autoDomain(
  call: Pick<Call, 'client' | 'header'>,
  http: HttpInfo | undefined,
  configured: string | URL | undefined,
): Promise<string | undefined> {
  const host = hostOf(call)
  const url = configured === undefined ? urlOf(http) : String(configured)
  if (host === undefined || url === undefined) return undefined
  if (host === 'claude') return `${(await sha256Hex(url)).slice(0, 32)}.claudemcpcontent.com`
  const { origin, protocol } = new URL(url)
  return protocol === 'https:' ? origin : undefined
}
