/** Builds requests from the arguments of a tool. */
import { ToolError } from '../../entrypoints/index.ts'
import type { JsonObject } from '../../entrypoints/jsonrpc.ts'
import { serializeBody } from './body.ts'
import type { RequestCredentials } from './credentials.ts'
import type { PlannedParameter } from './parameters.ts'
import type { RequestPlan } from './plan.ts'
import { serializeCookieValue, serializeHeaderValue, serializePathValue, serializeQueryValue, toText } from './styles.ts'

/** A request to an API. */
export interface ApiRequest {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Blob | FormData | undefined
}

/** What a request is built from. */
export interface RequestParts {
  readonly plan: RequestPlan
  readonly args: JsonObject
  readonly baseUrl: URL
  readonly credentials: RequestCredentials
  /** Headers for all requests. */
  readonly headers: Readonly<Record<string, string>>
}

/** Builds the request of a call. @throws ToolError when a value cannot be part of a path. */
export function buildRequest({ plan, args, baseUrl, credentials, headers }: RequestParts): ApiRequest {
  const given = plan.parameters.filter(({ argument }) => args[argument] !== undefined && Object.hasOwn(args, argument))
  const at = (place: PlannedParameter['place']): PlannedParameter[] => given.filter((parameter) => parameter.place === place)
  const body =
    plan.body && args[plan.body.argument] !== undefined ? serializeBody(plan.body, args[plan.body.argument]) : undefined
  const cookies = [
    ...at('cookie').map((parameter) => serialize(parameter, args, serializeCookieValue)),
    ...Object.entries(credentials.cookies).map(([name, value]) => `${name}=${value}`),
  ]
  const url = new URL(baseUrl)
  // Some descriptions tell operations of one path apart by a query or a fragment in it.
  const [path = '', query = ''] = expandPath(plan, args).replace(/#.*$/, '').split('?', 2)
  url.pathname = baseUrl.pathname.replace(/\/$/, '') + path
  url.search = joinQuery([
    baseUrl.search.slice(1),
    query,
    ...at('querystring').map((parameter) => serializeQuerystring(parameter, args)),
    ...at('query').map((parameter) => serialize(parameter, args, serializeQueryValue)),
    new URLSearchParams(credentials.query).toString(),
  ])
  return {
    method: plan.operation.method,
    url,
    headers: {
      accept: acceptedTypes(plan),
      ...Object.fromEntries(at('header').map((parameter) => [parameter.name, serialize(parameter, args, serializeHeaderValue)])),
      ...(body?.mediaType !== undefined && { 'content-type': body.mediaType }),
      ...(cookies.length > 0 && { cookie: cookies.join('; ') }),
      ...lowerCaseNames(headers),
      ...credentials.headers,
    },
    body: body?.content,
  }
}

function lowerCaseNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

function joinQuery(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('&')
}

type Serialize = (parameter: PlannedParameter & { readonly value: unknown }) => string

function serialize(parameter: PlannedParameter, args: JsonObject, serializeStyle: Serialize): string {
  const value = args[parameter.argument]
  if (parameter.mediaType === undefined) return serializeStyle({ ...parameter, value })
  const text = parameter.mediaType.includes('json') ? JSON.stringify(value) : toText(value)
  return serializeStyle({ ...parameter, style: 'simple', explode: false, value: text })
}

/** Serializes the whole query from one value. */
function serializeQuerystring(parameter: PlannedParameter, args: JsonObject): string {
  const value = args[parameter.argument]
  if (parameter.mediaType?.includes('json')) return encodeURIComponent(JSON.stringify(value))
  return serializeQueryValue({ ...parameter, style: 'form', explode: true, value })
}

/** Replaces the parameters in the path. @throws ToolError when a value is empty or would lead to another path. */
function expandPath({ operation, parameters }: RequestPlan, args: JsonObject): string {
  const byName = new Map(parameters.filter(({ place }) => place === 'path').map((parameter) => [parameter.name, parameter]))
  const path = operation.path.replaceAll(/\{([^}]*)\}/g, (whole, name: string) => {
    const parameter = byName.get(name)
    if (!parameter) return encodeURIComponent(whole)
    const text = serialize(parameter, args, serializePathValue)
    if (text === '') throw new ToolError(`${parameter.argument} must not be empty`)
    return text
  })
  if (path.split('/').some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment)))
    throw new ToolError('A path must not contain "." or ".."')
  return path
}

/** Returns the media types that the responses of the description have, JSON first. */
function acceptedTypes({ operation: { source } }: RequestPlan): string {
  const responses = Object.values((source.responses ?? {}) as JsonObject) as { content?: JsonObject }[]
  const types = new Set(responses.flatMap((response) => Object.keys(response?.content ?? {})))
  const sorted = [...types].filter((type) => /^[\w.+*-]+\/[\w.+*-]+$/.test(type)).sort((a, b) => rank(a) - rank(b))
  return [...sorted.slice(0, 8), '*/*;q=0.1'].join(', ')
}

function rank(type: string): number {
  return type === 'application/json' ? 0 : type.includes('json') ? 1 : 2
}
