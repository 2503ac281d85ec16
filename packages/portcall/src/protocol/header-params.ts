/**
 * Tool arguments that HTTP requests repeat in headers, so that proxies can route by them.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
 */

import { fromBase64, toBase64 } from '../../../util/src/base64.ts'
import { oncePer } from '../../../util/src/once-per.ts'
import type { ExchangeContext } from '../jsonrpc/exchange.ts'
import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import { SchemaError } from '../schema/errors.ts'
import { walkSchemas } from '../schema/walk.ts'
import { headerMismatch } from './errors.ts'

const ANNOTATION = 'x-mcp-header'
const PREFIX = 'Mcp-Param-'
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const TYPES = ['string', 'integer', 'boolean'] as const

/** Visible ASCII and inner spaces, which a header transmits unchanged. */
const PLAIN = /^(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/
const HEADER_TEXT = /^[\t\x20-\x7e]*$/
const ENCODED = /^=\?base64\?(.*)\?=$/s
/** Matches a header value that stands for itself: visible ASCII that does not start like an encoded value. */
export const UNENCODED_VALUE: RegExp = /^(?!=\?)[\t\x20-\x7e]*$/
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** A tool argument that HTTP requests repeat in a header. */
export interface HeaderParam {
  /** The complete header name, such as `Mcp-Param-Region`. */
  readonly header: string
  /** The path of the argument, such as `['place', 'region']`. */
  readonly path: readonly string[]
  readonly type: 'string' | 'integer' | 'boolean'
}

/**
 * Reads the `x-mcp-header` annotations of an input schema, in the order of its properties.
 *
 * @throws SchemaError if a name is not a header token or is used twice, if a type is not string, integer or boolean, or if an annotated property
 * is not reachable through `properties` only.
 */
export function readHeaderParams(inputSchema: JsonObject): HeaderParam[] {
  const params: HeaderParam[] = []
  collect(inputSchema, [], params)
  let annotations = 0
  walkSchemas(inputSchema, undefined, (schema) => void (ANNOTATION in schema && annotations++))
  if (annotations > params.length)
    throw new SchemaError(
      `"${ANNOTATION}" is only allowed on properties that are reachable from the root through "properties" only`,
    )
  const names = new Set<string>()
  for (const { header } of params) {
    if (names.has(header.toLowerCase())) throw new SchemaError(`"${ANNOTATION}": the header ${header} is used twice`)
    names.add(header.toLowerCase())
  }
  return params
}

function collect(schema: JsonObject, path: readonly string[], params: HeaderParam[]): void {
  if (ANNOTATION in schema && path.length > 0) params.push(readParam(schema, path))
  if (!isObject(schema.properties)) return
  for (const [name, property] of Object.entries(schema.properties))
    if (isObject(property)) collect(property, [...path, name], params)
}

function readParam(schema: JsonObject, path: readonly string[]): HeaderParam {
  const name = schema[ANNOTATION]
  const type = TYPES.find((type) => type === schema.type)
  if (typeof name !== 'string' || !TOKEN.test(name))
    throw new SchemaError(`"${ANNOTATION}" of "${path.join('.')}" must be a header token: letters, digits and !#$%&'*+-.^_\`|~`)
  if (!type) throw new SchemaError(`"${ANNOTATION}" of "${path.join('.')}" requires the type string, integer or boolean`)
  return { header: PREFIX + name, path, type }
}

/** Encodes a value for a header: unchanged if a header can transmit it, otherwise as the Base64 of its UTF-8 between `=?base64?` and `?=`. */
export function encodeHeaderValue(value: string | number | boolean): string {
  const text = String(value)
  if (PLAIN.test(text) && !ENCODED.test(text)) return text
  return `=?base64?${toBase64(text)}?=`
}

/**
 * Decodes a header value. A value without both markers, in lower case, is returned unchanged. Returns `undefined` if it is malformed: it has
 * characters that are not allowed in headers, Base64 that is not canonical, or bytes that are not UTF-8.
 */
export function decodeHeaderValue(header: string): string | undefined {
  if (!HEADER_TEXT.test(header)) return undefined
  const encoded = ENCODED.exec(header)?.[1]
  if (encoded === undefined) return header
  if (!BASE64.test(encoded)) return undefined
  const bytes = fromBase64(encoded)
  if (toBase64(bytes) !== encoded) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** Returns the headers of a call with these arguments. Arguments that are missing or of a wrong type have none. */
export function paramHeaders(params: readonly HeaderParam[], args: JsonObject | undefined): { [header: string]: string } {
  const headers: { [header: string]: string } = {}
  for (const { header, path, type } of params) {
    const value = valueAt(args, path)
    if (hasType(value, type)) headers[header] = encodeHeaderValue(value)
  }
  return headers
}

/**
 * Compares the headers of a call with its arguments. Returns the reason for -32020, or `undefined` if all are equal. A value in one place only
 * is a mismatch. Integers are compared as numbers. An argument of a wrong type is ignored here, because schema validation refuses it.
 */
export function verifyHeaderParams(
  params: readonly HeaderParam[],
  args: JsonObject | undefined,
  readHeader: (name: string) => string | undefined,
): string | undefined {
  for (const param of params) {
    const fault = compare(param, valueAt(args, param.path), readHeader(param.header))
    if (fault) return `${param.header} ${fault}`
  }
  return undefined
}

function compare({ type }: HeaderParam, value: unknown, header: string | undefined): string | undefined {
  if (value === undefined || value === null) return header === undefined ? undefined : 'is present, but its argument is not'
  if (header === undefined) return 'is missing'
  const decoded = decodeHeaderValue(header)
  if (decoded === undefined) return 'is malformed'
  if (!hasType(value, type)) return undefined
  const equal = type === 'integer' ? INTEGER.test(decoded) && Number(decoded) === value : decoded === String(value)
  return equal ? undefined : 'differs from its argument'
}

const INTEGER = /^-?\d{1,16}(?:\.0{1,16})?$/

function hasType(value: unknown, type: HeaderParam['type']): value is string | number | boolean {
  return type === 'integer' ? Number.isSafeInteger(value) : typeof value === type
}

function valueAt(args: JsonObject | undefined, path: readonly string[]): unknown {
  let value: unknown = args
  for (const name of path) value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
  return value
}

/** The headers that repeat arguments of one tool. */
export interface ToolHeaders {
  /** Compares the headers of a call with its arguments. @throws RpcError -32020 when they differ. */
  check(args: JsonObject, context: Pick<ExchangeContext, 'readParamHeader'>): void
  /** Returns the headers of a call, or `undefined` if there are none. */
  create(args: JsonObject): Record<string, string> | undefined
}

/** Returns the headers of calls of a tool. An invalid definition has none. */
export const toolHeadersOf: (definition: JsonObject) => ToolHeaders = oncePer((definition) => {
  const params = paramsOf(definition)
  return {
    check(args, { readParamHeader }) {
      const reason = readParamHeader && verifyHeaderParams(params, args, readParamHeader)
      if (reason !== undefined) throw headerMismatch(reason)
    },
    create: (args) => (params.length > 0 ? paramHeaders(params, args) : undefined),
  }
})

function paramsOf({ inputSchema }: JsonObject): readonly HeaderParam[] {
  try {
    return isObject(inputSchema) ? readHeaderParams(inputSchema) : []
  } catch {
    return []
  }
}
