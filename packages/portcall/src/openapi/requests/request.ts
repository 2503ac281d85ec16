/** Builds requests from the arguments of a tool. */

import { lowerCaseNames } from '../../../../util/src/header-names.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import { ToolError } from '../../server/errors.ts'
import { checkIntegers } from '../schemas/integers.ts'
import { type FormNames, serializeBody } from './body.ts'
import type { RequestCredentials } from './credentials.ts'
import { isMemberPlace, type PlannedParameter } from './parameters.ts'
import { replacePlaceholders, splitPath } from './placeholders.ts'
import type { RequestPlan } from './plan.ts'
import { configuredNames, createReservedNames, type MemberPlace, namesOfQuery } from './reserved-names.ts'
import {
  type StyledValue,
  serializeCookieValue,
  serializeHeaderValue,
  serializePathValue,
  serializeQueryValue,
  toText,
} from './styles.ts'

/** A request to an API. */
export interface ApiRequest {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Blob | undefined
}

/** The parts that a request is built from. */
export interface RequestParts {
  readonly plan: RequestPlan
  readonly args: JsonObject
  readonly baseUrl: URL
  readonly credentials: RequestCredentials
  /** Headers for all requests. */
  readonly headers: Readonly<Record<string, string>>
}

/** Builds the request of a call. @throws ToolError when a value cannot be part of a path. */
export function buildRequest(parts: RequestParts): ApiRequest {
  const { plan, args, baseUrl, credentials } = parts
  checkIntegers(args, plan.inputSchema)
  const headers = lowerCaseNames(parts.headers)
  const names = createNames(parts)
  const given = plan.parameters.filter(
    (parameter) => args[parameter.argument] !== undefined && Object.hasOwn(args, parameter.argument) && names.accepts(parameter),
  )
  const values: Values = { args, acceptsMember: names.acceptsMember }
  const at = (place: PlannedParameter['place']): PlannedParameter[] => given.filter((parameter) => parameter.place === place)
  const body =
    plan.body && args[plan.body.argument] !== undefined
      ? serializeBody(plan.body, args[plan.body.argument], { ...names, inputSchema: plan.inputSchema })
      : undefined
  const cookies = [
    ...at('cookie').map((parameter) => serialize(parameter, values, serializeCookieValue)),
    ...(headers.cookie === undefined ? [] : [headers.cookie]),
    ...Object.entries(credentials.cookies).map(([name, value]) => `${name}=${value}`),
  ].filter((pair) => pair !== '')
  const url = new URL(baseUrl)
  const { path, query } = expandPath(plan, values)
  url.pathname = baseUrl.pathname.replace(/\/$/, '') + path
  url.search = joinQuery([
    baseUrl.search.slice(1),
    query,
    ...at('querystring').map((parameter) => serializeQuerystring(parameter, values)),
    ...at('query').map((parameter) => serialize(parameter, values, serializeQueryValue)),
    new URLSearchParams(credentials.query).toString(),
  ])
  const ownHeaders = at('header').map((parameter) => [parameter.name, serialize(parameter, values, serializeHeaderValue)])
  const allHeaders: Record<string, string> = {
    accept: plan.accept,
    ...lowerCaseNames(Object.fromEntries(ownHeaders)),
    ...(body && { 'content-type': body.mediaType }),
    ...headers,
    ...lowerCaseNames(credentials.headers),
    ...(cookies.length > 0 && { cookie: cookies.join('; ') }),
  }
  checkHeaders(allHeaders)
  return { method: plan.operation.method, url, headers: allHeaders, body: body?.content }
}

/** @throws ToolError when a header has characters that HTTP clients do not send (RFC 9110, section 5.5). */
function checkHeaders(headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    const [character] = /[^\t\x20-\x7e\x80-\xff]/u.exec(value) ?? []
    if (character !== undefined) throw new ToolError(`The header ${name} cannot contain ${JSON.stringify(character)}`)
  }
}

/** Decides which parameters, fields and members of objects are sent. What is configured, and credentials, come first. */
interface RequestNames extends FormNames {
  accepts(parameter: PlannedParameter): boolean
  acceptsMember(name: string, parameter?: PlannedParameter): boolean
}

function createNames({ plan, baseUrl, credentials, headers }: RequestParts): RequestNames {
  const sent = createReservedNames({
    query: Object.keys(credentials.query),
    header: Object.keys(credentials.headers),
    cookie: Object.keys(credentials.cookies),
  })
  const configured = createReservedNames(configuredNames(baseUrl, headers))
  const described = createReservedNames({ query: namesOfQuery(splitPath(plan.operation.path).query) })
  const isReserved = (place: MemberPlace, name: string): boolean => sent.has(place, name) || configured.has(place, name)
  return {
    accepts: ({ place, name }) => !isMemberPlace(place) || !isReserved(place, name),
    acceptsField: (name) => !isReserved('query', name),
    acceptsMember(name, parameter) {
      if (sent.hasAnywhere(name) || plan.credentialNames.hasAnywhere(name)) return false
      if (parameter?.members?.has(name) === false) return false
      if (parameter === undefined || parameter.place === 'path') return true
      const place = isMemberPlace(parameter.place) ? parameter.place : 'query'
      if (configured.has(place, name) || described.has(place, name)) return false
      return name === parameter.name || !plan.declaredNames.has(place, name)
    },
  }
}

function joinQuery(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('&')
}

type Serialize = (parameter: PlannedParameter & StyledValue) => string

/** The arguments of a call, and the names that members of objects may have. */
interface Values {
  readonly args: JsonObject
  readonly acceptsMember: RequestNames['acceptsMember']
}

function serialize(parameter: PlannedParameter, { args, acceptsMember }: Values, serializeStyle: Serialize): string {
  const value = args[parameter.argument]
  const styled = { ...parameter, value, acceptsMember: (name: string) => acceptsMember(name, parameter) }
  if (parameter.mediaType === undefined) return serializeStyle(styled)
  const text = parameter.mediaType.includes('json') ? JSON.stringify(value) : toText(value)
  return serializeStyle({ ...styled, style: 'simple', explode: false, value: text })
}

/** Serializes the whole query from one value. */
function serializeQuerystring(parameter: PlannedParameter, values: Values): string {
  const value = values.args[parameter.argument]
  if (parameter.mediaType?.includes('json')) return encodeURIComponent(JSON.stringify(value))
  return serialize({ ...parameter, mediaType: undefined, style: 'form', explode: true }, values, serializeQueryValue)
}

/**
 * Replaces the parameters in the path, which some descriptions continue with a query. @throws ToolError when a value is empty or would lead to
 * another path.
 */
function expandPath({ operation, parameters }: RequestPlan, values: Values): { readonly path: string; readonly query: string } {
  const byName = new Map(parameters.filter(({ place }) => place === 'path').map((parameter) => [parameter.name, parameter]))
  const expand = (template: string, serializeValue: Serialize): string =>
    replacePlaceholders(template, ({ text, name, isGreedy }) => {
      const parameter = byName.get(text) ?? byName.get(name)
      if (!parameter) return encodeURIComponent(`{${text}}`)
      const value = values.args[parameter.argument]
      const isPath = isGreedy && typeof value === 'string'
      const parts = isPath ? value.replace(/^\/+/, '').split('/') : [value]
      const at = (part: unknown): Values => ({ ...values, args: { [parameter.argument]: part } })
      const expanded = parts.map((part) => serialize(parameter, at(part), serializeValue)).join('/')
      if (expanded === '') throw new ToolError(`${parameter.argument} must not be empty`)
      return expanded
    })
  const { path, query } = splitPath(operation.path)
  const expanded = expand(path, serializePathValue)
  if (expanded.split('/').some(hasDotSegment)) throw new ToolError('A path must not contain "." or ".."')
  const inQuery: Serialize = (parameter) => serializePathValue({ ...parameter, allowReserved: false })
  return { path: expanded, query: expand(query, inQuery) }
}

const MAX_DECODINGS = 4

/** Reports whether a server that decodes a segment, even several times, would find `.` or `..` in it. */
function hasDotSegment(segment: string): boolean {
  let text = segment
  for (let count = 0; count < MAX_DECODINGS; count++) {
    if (text.split(/[\\/]/).some((part) => /^\.{1,2}(?:;|$)/.test(part))) return true
    text = text.replaceAll(/%(?:25)*(?=2e|2f|5c|3b)/gi, '%').replaceAll(/%(2e|2f|5c|3b)/gi, decodeURIComponent)
  }
  return false
}
