/** Finds the endpoint of a server when the URL that was given is that of a domain. Loaded only when a connection to a domain has failed. */
import { appendToMessage, type PortcallError } from '../../../util/src/errors.ts'
import { createSafeFetch } from '../auth/client/http/safe-fetch.ts'
import { type DomainServer, discoverServers, type ServerDiscovery } from '../cards/client/discover.ts'
import type { DiscoveredEndpoint } from '../cards/client/endpoints.ts'
import { InvalidResponseError, RpcError } from '../jsonrpc/errors.ts'
import { endpointPathOf } from '../protocol/http.ts'
import { cardUrlOf } from '../protocol/server-card.ts'
import { HttpStatusError } from '../transports/http/client/http-status-error.ts'
import { DiscoveryError } from './discovery-error.ts'
import { documentFetch } from './document-fetch.ts'
import type { ConnectOptions } from './options.ts'

/** The statuses that say nothing about whether there is a server: sign-in and overload. */
const NO_EVIDENCE: ReadonlySet<number> = new Set([401, 407, 429])
const MAX_LISTED = 5

/** Reports whether an error may be that of a web site: the URL has no path, and something other than an MCP server answered. */
export function mayBeDomain({ pathname, search }: URL, error: unknown): boolean {
  if (pathname !== '/' || search !== '') return false
  if (error instanceof HttpStatusError) return !NO_EVIDENCE.has(error.status)
  // A server of this library responds to requests for other paths with a JSON-RPC error.
  return error instanceof InvalidResponseError || error instanceof RpcError
}

/** A server and the endpoint to connect to. */
interface Choice {
  readonly server: DomainServer
  readonly endpoint: DiscoveredEndpoint
}

/**
 * Returns the URL of the server of a domain, or why there is none.
 *
 * @throws DiscoveryError if there are several, or one that needs consent; the reason of the signal.
 */
export async function findEndpoint(domain: URL, options: ConnectOptions): Promise<URL | string> {
  const { discovery: settings = {}, signal, fetch, proxy } = options
  const { confirm, allow = [] } = settings || {}
  const discovery = await discoverServers(domain, {
    allow,
    ...(fetch && { fetch: documentFetch(fetch) }),
    ...(proxy !== undefined && { proxy }),
    ...(signal && { signal }),
  })
  const choices = discovery.servers.flatMap((server): readonly Choice[] => {
    const endpoint = server.endpoints.find(({ problem }) => problem === undefined)
    return endpoint ? [{ server, endpoint }] : []
  })
  if (choices.length === 0) return explainNone(discovery)
  const choice = confirm ? await firstConfirmed(choices, confirm) : onlyChoice(choices, options, discovery)
  if (!choice) throw new DiscoveryError(`The servers of ${discovery.domain} were not confirmed`, discovery)
  const url = new URL(choice.endpoint.url)
  if (url.origin !== domain.origin && !fetch) await checkAddress(url, { domain, allow, discovery })
  return url
}

async function firstConfirmed(
  choices: readonly Choice[],
  confirm: (server: DomainServer, endpoint: DiscoveredEndpoint) => boolean | Promise<boolean>,
): Promise<Choice | undefined> {
  for (const choice of choices) if ((await confirm(choice.server, choice.endpoint)) === true) return choice
  return undefined
}

/** @throws DiscoveryError if there are several servers, or one that the user did not name. */
function onlyChoice(
  choices: readonly Choice[],
  { headers, auth }: ConnectOptions,
  discovery: ServerDiscovery,
): Choice | undefined {
  const [choice] = choices
  if (choices.length > 1 || !choice) {
    const listed = choices.slice(0, MAX_LISTED).map(({ endpoint }) => endpoint.url)
    const message = `${discovery.domain} has ${choices.length} servers: ${listed.join(', ')}. Connect to one of them, or pass discovery: { confirm }`
    throw new DiscoveryError(message, discovery)
  }
  const { relation, url } = choice.endpoint
  const advice = `Connect to ${url} if you trust it, or pass discovery: { confirm }`
  if (relation === 'other-domain')
    throw new DiscoveryError(`${discovery.domain} names a server of another domain. ${advice}`, discovery)
  if (relation !== 'same-origin' && (headers !== undefined || auth !== undefined))
    throw new DiscoveryError(
      `The credentials for ${discovery.domain} were not sent to its server at another host. ${advice}`,
      discovery,
    )
  return choice
}

interface AddressContext {
  readonly domain: URL
  readonly allow: NonNullable<NonNullable<Exclude<ConnectOptions['discovery'], false>>['allow']>
  readonly discovery: ServerDiscovery
}

/** Asks the host for its card, which connects only to addresses that the domain may name. @throws DiscoveryError for another one. */
async function checkAddress(url: URL, { domain, allow, discovery }: AddressContext): Promise<void> {
  const { fetch } = createSafeFetch({ trustedUrl: domain, allow, timeoutMs: 5000, maxRedirects: 0 })
  await fetch(cardUrlOf(url)).catch((error: unknown) => {
    const isRefused = (error as { reason?: unknown }).reason === 'address_refused'
    if (isRefused)
      throw new DiscoveryError(`${discovery.domain} names a server that must not be used: ${String(error)}`, discovery)
  })
}

/** Adds what was found to an error that does not name the endpoint itself. */
export function addFinding(error: PortcallError, finding: string): void {
  if (endpointPathOf(error) === undefined) appendToMessage(error, `. ${finding}`)
}

/** Says where a server was looked for, in one sentence. */
function explainNone({ domain, servers, attempts }: ServerDiscovery): string {
  const problems = servers.flatMap(({ endpoints }) => endpoints.map(({ url, problem }) => `${url}: ${problem}`))
  if (servers.length > 0)
    return `${domain} has a server card, but no endpoint that can be used: ${problems.join('; ') || 'it names none'}`
  const wrong = attempts.find(({ outcome }) => outcome !== 'absent')
  if (wrong) return `No server card was found at ${domain}: ${wrong.url}: ${wrong.reason ?? wrong.outcome}`
  return `${domain} has no catalog and no server card`
}
