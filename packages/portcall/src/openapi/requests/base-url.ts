import { classifyHost } from '../../auth/client/http/address-policy.ts'
import { arrayOrEmpty, objectOrEmpty } from '../document/json.ts'
import type { DescribedOperation } from '../document/operations.ts'
import { OpenApiError } from '../errors.ts'

export interface BaseUrlOptions {
  /** The base URL that the user configured. */
  readonly baseUrl?: string | URL | undefined
  readonly serverVariables?: { readonly [name: string]: string } | undefined
  /** Where the description comes from. */
  readonly url: URL | undefined
}

/**
 * Returns the base URL of an operation. @throws OpenApiError when there is none, or when a description from the internet names an address of
 * a private network.
 */
export function baseUrlOf({ servers, hasOwnServers, id }: DescribedOperation, options: BaseUrlOptions): URL {
  const { baseUrl, url: source } = options
  if (baseUrl !== undefined && !hasOwnServers) return new URL(baseUrl)
  const template = servers[0]?.url ?? '/'
  const text = expandVariables(String(template), objectOrEmpty(servers[0]?.variables), options)
  const base = baseUrl ?? source
  if (!URL.canParse(text, base)) throw new OpenApiError(`The description has no absolute server URL for ${id}: pass baseUrl`)
  const url = new URL(text, base)
  if (!/^https?:$/.test(url.protocol)) throw new OpenApiError(`The server of ${id} is not an http URL: pass baseUrl`)
  const isFetched = source !== undefined && /^https?:$/.test(source.protocol)
  if (baseUrl === undefined && isFetched && url.origin !== source.origin && classifyHost(url.hostname) !== 'public')
    throw new OpenApiError(`${source.origin} refers to the private address ${url.origin}: pass baseUrl if you trust it`)
  return url
}

function expandVariables(template: string, variables: object, { serverVariables = {} }: BaseUrlOptions): string {
  return template.replaceAll(/\{([^}]+)\}/g, (_, name: string) => {
    const variable = objectOrEmpty(Object.getOwnPropertyDescriptor(variables, name)?.value)
    const allowed = arrayOrEmpty(variable.enum)
    const value = serverVariables[name] ?? variable.default
    if (value === undefined) throw new OpenApiError(`The server variable ${name} has no value: pass serverVariables`)
    if (serverVariables[name] !== undefined && allowed.length > 0 && !allowed.includes(value))
      throw new OpenApiError(`The server variable ${name} must be one of ${allowed.join(', ')}`)
    return String(value)
  })
}
