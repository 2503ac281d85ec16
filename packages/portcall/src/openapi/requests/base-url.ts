import { type AllowedAddress, classifyHost, insecurePrivateAddresses } from '../../auth/client/http/address-policy.ts'
import { parseUrl } from '../../util/parse-url.ts'
import { arrayOrEmpty, objectOrEmpty } from '../document/json.ts'
import { UNTRUSTED } from '../document/load.ts'
import type { DescribedOperation } from '../document/operations.ts'
import { OpenApiError } from '../errors.ts'

export interface BaseUrlOptions {
  /** The base URL that the user configured. */
  readonly baseUrl?: string | URL | undefined
  readonly serverVariables?: { readonly [name: string]: string } | undefined
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
  const url = parseUrl(text, base)
  if (!url) throw new OpenApiError(`The description has no absolute server URL for ${id}: pass baseUrl`)
  if (!/^https?:$/.test(url.protocol)) throw new OpenApiError(`The server of ${id} is not an http URL: pass baseUrl`)
  const named = [baseUrl, source, ...credentialOrigins].flatMap((one) => (one === undefined ? [] : new URL(one).origin))
  const isLocal = !options.isFetched || (!hasOwnServers && (source === undefined || source.protocol === 'file:'))
  if (isLocal || named.includes(url.origin)) return { url, trustedUrl: url }
  const from = source === undefined ? 'The description' : source.origin
  if (classifyHost(url.hostname) !== 'public' && !isAllowed(url, options))
    throw new OpenApiError(`${from} refers to the private address ${url.origin}: pass baseUrl if you trust it`)
  return { url, trustedUrl: source ?? UNTRUSTED }
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
