import { parseUrl } from '../../../../util/src/parse-url.ts'
import { type AllowedAddress, classifyHost, insecurePrivateAddresses } from '../../auth/client/http/address-policy.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import { arrayOrEmpty, objectOrEmpty } from '../document/json.ts'
import { UNTRUSTED } from '../document/load.ts'
import type { DescribedOperation } from '../document/operations.ts'
import { OpenApiError } from '../errors.ts'

export interface BaseUrlOptions {
  /** The base URL that the user configured. */
  readonly baseUrl?: string | URL | undefined
  readonly serverVariables?: { readonly [name: string]: string } | undefined
  /** The base URLs of operations whose servers have other origins, by origin. */
  readonly baseUrls?: { readonly [origin: string]: string | URL } | undefined
  /** The servers of the API, which `baseUrl` replaces. */
  readonly mainServers?: readonly JsonObject[] | undefined
  /** Where the description was loaded from. */
  readonly url: URL | undefined
  /** True if parts of the description were fetched from the network. */
  readonly isFetched: boolean
  /** Exemptions from the rule that a description from the internet names no private addresses. */
  readonly allow?: readonly AllowedAddress[] | undefined
  /** Origins that the user trusts, besides that of the base URL. */
  readonly credentialOrigins?: readonly string[] | undefined
}

/** The base URL of an operation. */
export interface OperationBaseUrl {
  readonly url: URL
  /**
   * The URL that the user named and that the base URL follows from: requests may go to its origin, whatever address that has. For servers that
   * only a fetched description names, the URL of the description.
   */
  readonly trustedUrl: URL
  /** Why calls are refused, if they are: they would go elsewhere than the user said. */
  readonly refusal?: string
}

/**
 * Returns the base URL of an operation. @throws OpenApiError when there is none, or when a description from the internet names an address of
 * a private network.
 */
export function baseUrlOf({ servers, hasOwnServers, id }: DescribedOperation, options: BaseUrlOptions): OperationBaseUrl {
  const { baseUrl, url: source, credentialOrigins = [] } = options
  if (baseUrl !== undefined && !hasOwnServers) return { url: new URL(baseUrl), trustedUrl: new URL(baseUrl) }
  const template = servers[0]?.url ?? '/'
  const text = expandVariables(String(template), objectOrEmpty(servers[0]?.variables), options)
  const base = baseUrl ?? source
  const described = parseUrl(text, base)
  const replaced = described && hasOwnServers ? replaceServer(described, options) : undefined
  if (replaced) return { url: replaced, trustedUrl: replaced }
  const url = described
  if (!url) throw new OpenApiError(`The description has no absolute server URL for ${id}: pass baseUrl`)
  if (!/^https?:$/.test(url.protocol)) throw new OpenApiError(`The server of ${id} is not an http URL: pass baseUrl`)
  const named = [baseUrl, source, ...credentialOrigins].flatMap((one) => (one === undefined ? [] : new URL(one).origin))
  const isLocal = !options.isFetched || (!hasOwnServers && (source === undefined || source.protocol === 'file:'))
  const isElsewhere = baseUrl !== undefined && !named.includes(url.origin)
  const refusal = isElsewhere && {
    refusal: `its server ${url.origin} is not the one that baseUrl replaces; calls are refused unless baseUrls or credentialOrigins names ${url.origin}`,
  }
  if (isLocal || named.includes(url.origin)) return { url, trustedUrl: url, ...refusal }
  const from = source === undefined ? 'The description' : source.origin
  if (classifyHost(url.hostname) !== 'public' && !isAllowed(url, options))
    throw new OpenApiError(`${from} refers to the private address ${url.origin}: pass baseUrl if you trust it`)
  return { url, trustedUrl: source ?? UNTRUSTED, ...refusal }
}

/** Returns what a server of a single operation becomes when the user configured base URLs, or `undefined` if they do not concern it. */
function replaceServer(server: URL, options: BaseUrlOptions): URL | undefined {
  const { baseUrl, baseUrls = {}, mainServers = [], url: source } = options
  const other = Object.entries(baseUrls).find(([origin]) => parseUrl(origin)?.origin === server.origin)
  if (other) return joinPath(new URL(other[1]), server.pathname)
  const main = mainServers.map((one) => mainUrl(one, source, options)).find((one) => one?.origin === server.origin)
  if (baseUrl === undefined || main === undefined) return undefined
  const prefix = main.pathname.replace(/\/$/, '')
  const isBelow = server.pathname === prefix || server.pathname.startsWith(`${prefix}/`)
  return joinPath(new URL(baseUrl), isBelow ? server.pathname.slice(prefix.length) : server.pathname)
}

/** Returns the origins of the servers that operations have for themselves: those that `baseUrls` can replace. */
export function ownOrigins(operations: readonly DescribedOperation[], options: BaseUrlOptions): string[] {
  const base = options.url ?? (options.baseUrl === undefined ? undefined : new URL(options.baseUrl))
  const own = operations.filter(({ hasOwnServers }) => hasOwnServers).map(({ servers }) => servers[0] ?? {})
  return own.flatMap((server) => mainUrl(server, base, options)?.origin ?? [])
}

function mainUrl({ url, variables }: JsonObject, source: URL | undefined, options: BaseUrlOptions): URL | undefined {
  try {
    return parseUrl(expandVariables(String(url ?? '/'), objectOrEmpty(variables), options), source)
  } catch {
    return undefined
  }
}

function joinPath(base: URL, path: string): URL {
  const joined = new URL(base)
  joined.pathname = `${base.pathname.replace(/\/$/, '')}/${path.replace(/^\//, '')}`
  return joined
}

function isAllowed({ hostname }: URL, { allow = [] }: BaseUrlOptions): boolean {
  return allow.includes(hostname) || allow.includes(insecurePrivateAddresses)
}

function expandVariables(template: string, variables: object, { serverVariables = {} }: BaseUrlOptions): string {
  return template.replaceAll(/\{([^{}]+)\}/g, (_, name: string) => {
    const variable = objectOrEmpty(Object.getOwnPropertyDescriptor(variables, name)?.value)
    const allowed = arrayOrEmpty(variable.enum)
    const chosen = Object.hasOwn(serverVariables, name) ? serverVariables[name] : undefined
    const value = chosen ?? variable.default
    if (value === undefined) throw new OpenApiError(`The server variable ${name} has no value: pass serverVariables`)
    if (chosen !== undefined && allowed.length > 0 && !allowed.includes(value))
      throw new OpenApiError(`The server variable ${name} must be one of ${allowed.join(', ')}`)
    return String(value)
  })
}
