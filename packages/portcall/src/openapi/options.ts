import { checkOptions, type OptionNames } from '../../../util/src/check-options.ts'
import { describe } from '../../../util/src/describe.ts'
import { parseUrl } from '../../../util/src/parse-url.ts'
import { isObject } from '../jsonrpc/message.ts'
import type { Call } from '../server/call.ts'
import type { BaseToolDefinition } from '../server/definitions.ts'
import type { ServerOptions } from '../server/options.ts'
import type { LoadOptions } from './document/load.ts'
import type { ApiOperation } from './document/operations.ts'

/** A user name and a password, or a secret: a key, an access token. */
export type ApiCredential =
  | string
  | {
      /** The user name. */
      readonly username: string
      /** The password. */
      readonly password: string
    }

/** A security scheme of the description, as far as the choice of a credential depends on it. */
export interface ApiSecurityScheme {
  /** The name of the scheme in the description. */
  readonly name: string
  /** The type: `apiKey`, `http`, `oauth2` or `openIdConnect`. */
  readonly type: string
  /** The scopes that the operation requires. */
  readonly scopes: readonly string[]
  /** The operation that is called. */
  readonly operation: ApiOperation
}

/** A credential, or a function that returns the one of the caller, or nothing if there is none. */
export type ApiCredentialSource =
  | ApiCredential
  | ((call: Call, scheme: ApiSecurityScheme) => ApiCredential | undefined | Promise<ApiCredential | undefined>)

/** The target of an operation. A resource is possible for a GET without a body and without required headers; others become tools. */
export type OperationTarget = 'tool' | 'resource' | 'exclude'

/** A rule that decides what becomes of the operations that match all of its conditions. */
export interface OpenApiRoute {
  /** HTTP methods. Default: all. */
  readonly methods?: readonly string[]
  /** A pattern for the path: `/repos/**`, where `*` matches one segment and `**` any number, or a regular expression. Default: all. */
  readonly path?: string | RegExp
  /** Tags, of which an operation needs one. Default: all operations. */
  readonly tags?: readonly string[]
  /** Operation ids. Default: all operations. */
  readonly operationIds?: readonly string[]
  /** The target of the operations. */
  readonly to: OperationTarget
}

/** Changes of the tool or resource of one operation. */
export interface OperationOverrides
  extends Pick<BaseToolDefinition, 'title' | 'description' | 'annotations' | 'scopes' | 'visible' | 'timeoutMs'> {
  /** The name. It is changed if it is too long, not valid or taken. */
  readonly name?: string
  /** The target of the operation, instead of what the routes decide. */
  readonly to?: OperationTarget
  /** Arguments with fixed values. The model neither sees nor changes them. A function returns the value for a call. */
  readonly fixed?: { readonly [argument: string]: unknown }
  /** Arguments to leave out. */
  readonly hide?: readonly string[]
  /**
   * The parts of the response to return, as paths: `['id', 'owner.login']`. Arrays are followed. A function returns any other value. The
   * tool has no output schema then.
   */
  readonly select?: readonly string[] | ((body: unknown, call: Call) => unknown)
  /** The media type of the request body, if the operation accepts several. */
  readonly mediaType?: string
}

/** The limits of calls. */
export interface OpenApiLimits {
  /** Time for a request including its response, in milliseconds. Default: 30,000. */
  readonly timeoutMs: number
  /** Size of a response of the API, in bytes. A larger one is an error. Default: 10 MB. */
  readonly maxResponseBytes: number
  /** Size of a result, in characters. Longer lists and texts in it are shortened, with a note. Default: 100,000. */
  readonly maxResultChars: number
  /** Size of the input schema of a tool, in characters of JSON. Parts that exceed it accept any value. Default: 32,768. */
  readonly maxInputSchemaChars: number
  /** Size of the output schema of a tool, in characters of JSON. Larger ones are left out. 0 leaves out all. Default: 4096. */
  readonly maxOutputSchemaChars: number
}

/** The default limits. */
export const OPENAPI_LIMITS: OpenApiLimits = {
  timeoutMs: 30_000,
  maxResponseBytes: 10 * 1024 * 1024,
  maxResultChars: 100_000,
  maxInputSchemaChars: 32_768,
  maxOutputSchemaChars: 4096,
}

/** The options of `fromOpenAPI`. */
export interface OpenApiOptions extends LoadOptions, Partial<OpenApiLimits> {
  /** The name of the server. Default: made from the title of the description. */
  readonly name?: string
  /** Options of the server. */
  readonly server?: ServerOptions
  /**
   * The base URL of the API. Default: the first server of the description. It also replaces the servers of single operations that have the same
   * origin. Calls of operations with servers at other origins are refused, unless `baseUrls` or `credentialOrigins` names their origin.
   */
  readonly baseUrl?: string | URL
  /** The base URLs of operations with servers at other origins, by origin: `{ 'https://uploads.example.com': 'http://localhost:8080' }`. */
  readonly baseUrls?: { readonly [origin: string]: string | URL }
  /** The values of server variables. Default: those of the description. */
  readonly serverVariables?: { readonly [name: string]: string }
  /**
   * The credentials by the names of their security schemes. Without an entry, requests carry no credential of that scheme. The access token
   * that the caller sent to your server is not passed on: it is meant for your server only.
   */
  readonly auth?: { readonly [scheme: string]: ApiCredentialSource }
  /** Origins that credentials and `headers` may be sent to, besides that of the base URL. For operations with servers of their own. */
  readonly credentialOrigins?: readonly string[]
  /** Headers for all requests, or a function that returns them. */
  readonly headers?: Readonly<Record<string, string>> | ((call: Call) => Readonly<Record<string, string>>)
  /**
   * Decides what becomes of operations; the first route that matches counts. Default: each becomes a tool. A route with a path must match an operation,
   * and the description must have its tags and operation ids.
   */
  readonly routes?: readonly OpenApiRoute[]
  /** Changes the tool or resource of an operation, or excludes it by returning `false`. */
  readonly customize?: (operation: ApiOperation) => OperationOverrides | false | undefined
}

const NAMES: OptionNames<OpenApiOptions> = {
  ...OPENAPI_LIMITS,
  name: 'text',
  server: 'object',
  baseUrl: 'url',
  baseUrls: 'object',
  serverVariables: 'object',
  auth: 'object',
  credentialOrigins: 'texts',
  headers: 1,
  routes: 'array',
  customize: 'function',
  url: 'url',
  external: 1,
  fetch: 1,
  allow: 'array',
}
const ADVICE = {
  client: 'Pass fetch, baseUrl and headers',
  routeMaps: 'Use "routes"',
  route_maps: 'Use "routes"',
  token: 'Pass auth: { SCHEME: token }, with the name of a security scheme',
  timeout: 'Use "timeoutMs"',
}

/** Checks the options of `fromOpenAPI`. @throws TypeError; RangeError for a number that is too small or too large. */
export function checkOpenApiOptions(options: OpenApiOptions): void {
  checkOptions('fromOpenAPI()', options, { names: NAMES, advice: ADVICE })
  const { baseUrl, baseUrls = {}, auth = {}, headers = {} } = options
  for (const [name, url] of Object.entries({ baseUrl, ...baseUrls }))
    if (url !== undefined && !/^https?:$/.test(parseUrl(url)?.protocol ?? ''))
      throw new TypeError(`fromOpenAPI(): ${name} must be a URL with https: or http:, not ${describe(url)}`)
  for (const [name, credential] of Object.entries(auth))
    if (!isCredential(credential))
      throw new TypeError(`fromOpenAPI(): auth.${name} must be a text, { username, password } or a function`)
  if (typeof headers === 'function') return
  if (!isObject(headers)) throw new TypeError(`fromOpenAPI(): headers must be an object or a function, not ${describe(headers)}`)
  for (const [name, value] of Object.entries(headers)) checkHeader(name, value)
}

function checkHeader(name: string, value: unknown): void {
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name))
    throw new TypeError(`fromOpenAPI(): headers: ${JSON.stringify(name)} is not the name of a header`)
  if (typeof value !== 'string') throw new TypeError(`fromOpenAPI(): headers: ${name} must be a text, not ${typeof value}`)
}

/** Variables of the environment may not be set. */
function isCredential(value: unknown): boolean {
  if (value === undefined || typeof value === 'string' || typeof value === 'function') return true
  return isObject(value) && typeof value.username === 'string' && typeof value.password === 'string'
}
