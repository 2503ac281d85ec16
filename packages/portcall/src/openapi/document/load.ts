/** Loads descriptions from objects, texts and URLs, in JSON and YAML, with everything that they refer to. */

import { describeUnreachable, systemCodeOf } from '../../../../util/src/connection-faults.ts'
import { parseUrl } from '../../../../util/src/parse-url.ts'
import type { AllowedAddress } from '../../auth/client/http/address-policy.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { OpenApiError } from '../errors.ts'
import { resolvePointer } from './document.ts'
import { withExternalReferences, withoutData } from './references.ts'
import { checkStructure } from './structure.ts'

/** How references to other documents are followed: not at all, over https, or by a function that returns the text of a URL. */
export type ExternalReferences = 'refuse' | 'https' | ((url: string) => Promise<string>)

/** The options that concern the description itself. */
export interface LoadOptions {
  /**
   * Where the description comes from. Relative servers are resolved against it, and relative references unless the description has `$self`.
   * Default: the URL it is loaded from.
   */
  readonly url?: string | URL
  /**
   * How references to other documents are followed. `'https'` fetches them, but not from private addresses; a function reads them in any
   * other way, such as from files. Default: `'https'` if the description comes from a URL, otherwise `'refuse'`.
   */
  readonly external?: ExternalReferences
  /** Sends the requests to the API, and those for descriptions, instead of the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch
  /** Exemptions from the rules for the addresses of descriptions: host names, or the symbols of `portcall/auth/client`. */
  readonly allow?: readonly AllowedAddress[]
}

/** A description that refers to nothing outside of itself. */
export interface LoadedDescription {
  readonly root: JsonObject
  /** Where it was loaded from, if it is known. What the description says about itself does not count. */
  readonly url: URL | undefined
  /** True if parts of it were fetched from the network. */
  readonly isFetched: boolean
}

/** The largest description that is fetched. GitHub's has 13 MB. */
const MAX_DESCRIPTION_BYTES = 64 * 1024 * 1024
const MAX_EXTERNAL_DOCUMENTS = 1000
/** The values in a description in YAML, those of aliases each time. */
const MAX_VALUES = 10_000_000

/** Loads a description from an object, a text, or a URL. @throws OpenApiError when it cannot be loaded or parsed. */
export async function loadDescription(source: unknown, options: LoadOptions = {}): Promise<LoadedDescription> {
  const url = options.url === undefined ? urlOf(source) : new URL(options.url)
  const read = createReader(url, options)
  const text = url !== undefined && urlOf(source) !== undefined ? await fetchText(url, options) : source
  const parsed = typeof text === 'string' ? await parseDescription(text, url) : text
  if (!isObject(parsed)) throw new OpenApiError(`${nameOf(url)} must be an object, a text in JSON or YAML, or a URL`)
  checkStructure(parsed)
  // `$self` is the base of references. Servers and trust follow the URL that the user named.
  const base = (typeof parsed.$self === 'string' && parseUrl(parsed.$self, url)) || url
  const toBundle = withExternalReferences(parsed, (pointer) => resolvePointer(parsed, pointer))
  const isFetched = isHttp(url) || (toBundle !== undefined && options.external === 'https')
  return { root: toBundle ? await bundle(toBundle, base, read) : parsed, url, isFetched }
}

function urlOf(source: unknown): URL | undefined {
  if (source instanceof URL) return source
  return typeof source === 'string' && /^https?:\/\/\S+$/.test(source) ? new URL(source) : undefined
}

/** Names a description in an error, without the parts of its address that may be secret. */
function nameOf(url: URL | undefined): string {
  if (!url) return 'An OpenAPI description'
  return `The OpenAPI description ${isHttp(url) ? url.origin : ''}${url.pathname}`
}

/** Parses a text in JSON or YAML. @throws OpenApiError with the position of a mistake. */
async function parseDescription(text: string, url: URL | undefined): Promise<unknown> {
  if (/^\s*</.test(text))
    throw new OpenApiError(`${nameOf(url)} is a web page or XML: look there for the address of its JSON or YAML, and pass this`)
  try {
    if (/^\s*\{/.test(text)) return JSON.parse(text)
  } catch {
    // Flow style of YAML starts with a brace, too.
  }
  // Loaded only for descriptions in YAML.
  const { parseYaml } = await import('../../../../util/src/yaml.ts')
  try {
    return parseYaml(text, MAX_VALUES)
  } catch (cause) {
    throw new OpenApiError(`${nameOf(url)} is neither JSON nor YAML: ${cause instanceof Error ? cause.message : cause}`, {
      cause,
    })
  }
}

type ReadText = (url: string) => Promise<string>

/** Stands for a description without a URL: no address that it names is trusted. */
export const UNTRUSTED: URL = new URL('https://description.invalid')

function isHttp(url: URL | undefined): boolean {
  return url !== undefined && /^https?:$/.test(url.protocol)
}

function createReader(base: URL | undefined, options: LoadOptions): ReadText {
  const external = options.external ?? (isHttp(base) ? 'https' : 'refuse')
  if (typeof external === 'function') return external
  return async (url) => {
    if (external === 'https') return fetchText(new URL(url), options, base ?? UNTRUSTED)
    throw new OpenApiError(`The description refers to ${url}. Pass external: 'https', or a function that reads it`)
  }
}

/** Fetches a text. Only the URL that you named may be a private address. */
async function fetchText(url: URL, { fetch, allow = [] }: LoadOptions, trustedUrl: URL = url): Promise<string> {
  if (!/^https?:$/.test(url.protocol))
    throw new OpenApiError(`${url.protocol} URLs are not fetched: pass a function as "external"`)
  const { createSafeFetch } = await import('../../auth/client/http/safe-fetch.ts')
  const safe = createSafeFetch({ trustedUrl, fetch, allow, maxBytes: MAX_DESCRIPTION_BYTES })
  const headers = { accept: 'application/json, application/yaml, */*' }
  const response = await safe.fetch(url.href, { headers }).catch((error: Error) => {
    const { message, cause } = error
    const reason = systemCodeOf(cause) === '' ? message : describeUnreachable(url.origin, cause)
    throw new OpenApiError(`${url.origin}${url.pathname} cannot be loaded: ${reason}`, { cause: error })
  })
  if (!response.ok) throw new OpenApiError(`${url.origin}${url.pathname} responded with ${response.status}`)
  return response.text()
}

/** Joins a description with the documents that it refers to. */
async function bundle(root: JsonObject, base: URL | undefined, read: ReadText): Promise<JsonObject> {
  const { bundleDocuments } = await import('./bundle.ts')
  let count = 0
  const readOnce: ReadText = (url) => {
    if (++count > MAX_EXTERNAL_DOCUMENTS)
      throw new OpenApiError(`The description refers to more than ${MAX_EXTERNAL_DOCUMENTS} documents`)
    return read(url)
  }
  const readDocument = async (url: string): Promise<unknown> => {
    const parsed = await parseDescription(await readOnce(url), parseUrl(url))
    checkStructure(parsed)
    return withoutData(parsed, false)
  }
  const bundled = await bundleDocuments(root, base?.href, readDocument)
  checkStructure(bundled)
  return bundled
}
