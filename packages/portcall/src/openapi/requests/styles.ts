/** Serializes parameters in the styles of OpenAPI. https://spec.openapis.org/oas/v3.2.0.html#style-values */
import { isObject } from '../../jsonrpc/message.ts'

/** How a parameter is serialized. */
export interface ParameterStyle {
  readonly style: string
  readonly explode: boolean
  /** True if characters with a meaning in URLs stay as they are. */
  readonly allowReserved: boolean
}

/** A parameter with a value to serialize. */
export interface StyledValue extends ParameterStyle {
  readonly name: string
  readonly value: unknown
  /** Reports whether a member of an exploded object may be sent under its name. */
  readonly acceptsMember: (name: string) => boolean
}

/** Serializes the parameter of a path. */
export function serializePathValue({ style, ...parameter }: StyledValue): string {
  const { name, explode } = parameter
  const encode = encoder(parameter, KEPT_IN_PATHS)
  const value = acceptedValue(parameter)
  if (style === 'label') return `.${joinValue(value, { explode, separator: explode ? '.' : ',', encode })}`
  if (style === 'matrix') return serializeMatrix({ name: encode(name), value, explode, encode })
  return joinValue(value, { explode, separator: ',', encode })
}

/** Serializes the parameter of a header: `simple`, not encoded. */
export function serializeHeaderValue(parameter: StyledValue): string {
  const { explode } = parameter
  const text = joinValue(acceptedValue(parameter), { explode, separator: ',', encode: toText })
  return text.replaceAll(/[\r\n\0]+/g, ' ')
}

/** Serializes the parameter of a cookie as `name=value` pairs. */
export function serializeCookieValue(parameter: StyledValue): string {
  const isPlain = parameter.style === 'cookie'
  const encode = isPlain ? encodeCookie : encoder(parameter, KEPT_IN_COOKIES)
  const unsafe = isPlain ? /[%=$]/g : /[=$]/g
  return formPairs(parameter, encode)
    .map(([name, value]) => `${name === parameter.name ? name : name.replaceAll(unsafe, encodeURIComponent)}=${value}`)
    .join('; ')
}

/** Serializes a parameter of the query as encoded `name=value` pairs joined by `&`. */
export function serializeQueryValue(parameter: StyledValue): string {
  const encode = encoder(parameter, KEPT_IN_QUERIES)
  return queryPairs(parameter, encode)
    .map(([name, value]) => `${name}=${value}`)
    .join('&')
}

const SEPARATORS: { readonly [style: string]: string } = { spaceDelimited: '%20', pipeDelimited: '%7C' }

function queryPairs(parameter: StyledValue, encode: Encode): [string, string][] {
  const { name, value, style, explode } = parameter
  if (style === 'deepObject') return nestedPairs(encode(name), value, encode)
  const separator = SEPARATORS[style]
  if (separator === undefined || explode || !isCollection(value)) return formPairs(parameter, encode)
  return [[encode(name), flatten(value).map(encode).join(separator)]]
}

function formPairs(parameter: StyledValue, encode: Encode): [string, string][] {
  const { name, explode } = parameter
  const value = acceptedValue(parameter)
  if (Array.isArray(value) && value.length === 0) return []
  if (!explode || !isCollection(value)) return [[encode(name), flatten(value).map(encode).join(',')]]
  if (Array.isArray(value)) return value.map((item) => [encode(name), encode(item)])
  return Object.entries(value).map(([key, item]) => [encode(key), encode(item)])
}

/** Returns the value, without the members of an exploded object that must not be sent under their names. */
function acceptedValue({ value, explode, acceptsMember }: Pick<StyledValue, 'value' | 'explode' | 'acceptsMember'>): unknown {
  if (!explode || !isObject(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([name]) => acceptsMember(name)))
}

/** Serializes nested objects and arrays with brackets: `filter[state]=open&ids[0]=1`. */
function nestedPairs(prefix: string, value: unknown, encode: Encode): [string, string][] {
  if (!isCollection(value)) return [[prefix, encode(value)]]
  return Object.entries(value).flatMap(([key, item]) => nestedPairs(`${prefix}[${encode(key)}]`, item, encode))
}

interface MatrixValue {
  readonly name: string
  readonly value: unknown
  readonly explode: boolean
  readonly encode: Encode
}

function serializeMatrix({ name, value, explode, encode }: MatrixValue): string {
  if (!explode || !isCollection(value)) return `;${name}=${flatten(value).map(encode).join(',')}`
  if (Array.isArray(value)) return value.map((item) => `;${name}=${encode(item)}`).join('')
  return Object.entries(value)
    .map(([key, item]) => `;${encode(key)}=${encode(item)}`)
    .join('')
}

interface JoinOptions {
  readonly explode: boolean
  readonly separator: string
  readonly encode: Encode
}

function joinValue(value: unknown, { explode, separator, encode }: JoinOptions): string {
  const isObjectToExplode = explode && isObject(value)
  const parts = isObjectToExplode
    ? Object.entries(value).map(([key, item]) => `${encode(key)}=${encode(item)}`)
    : flatten(value).map(encode)
  return parts.join(separator)
}

type Encode = (value: unknown) => string

/** Characters that `encodeURIComponent` leaves as they are, although URLs reserve them. */
const LEFT_OVER = /[!'()*]/g
/**
 * The reserved characters that `allowReserved` keeps: all but those that would end the value. Servers end the segment of a path at `;`, too, and
 * some of them the parameter of a query.
 */
const KEPT_IN_PATHS = /%(3A|5B|5D|40|21|24|26|27|28|29|2A|2B|2C|3D)/g
const KEPT_IN_QUERIES = /%(3A|2F|3F|5B|5D|40|21|24|27|28|29|2A|2C)/g
const KEPT_IN_COOKIES = /%(3A|2F|3F|5B|5D|40|21|24|26|27|28|29|2A|2B)/g
/** Characters that RFC 6265 forbids in the value of a cookie. */
const NOT_IN_COOKIES = /[^!#$%&'()*+\-./0-9:<=>?@A-Z[\]^_`a-z{|}~]+/gu

function encodeCookie(value: unknown): string {
  return wellFormed(toText(value)).replaceAll(NOT_IN_COOKIES, encodeURIComponent)
}

function encoder({ allowReserved }: Pick<ParameterStyle, 'allowReserved'>, kept: RegExp): Encode {
  return (value) => {
    const encoded = encodeURIComponent(wellFormed(toText(value))).replaceAll(
      LEFT_OVER,
      (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
    )
    return allowReserved ? encoded.replaceAll(kept, decodeURIComponent) : encoded
  }
}

function isCollection(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** Returns the items of an array, the names and values of an object one after the other, or the value. */
function flatten(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  return isObject(value) ? Object.entries(value).flat() : [value]
}

/** Returns a value as text: JSON for objects and arrays, nothing for null. */
export function toText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Replaces halves of surrogate pairs, which cannot be encoded. */
function wellFormed(text: string): string {
  return new TextDecoder().decode(new TextEncoder().encode(text))
}
