/** Reads what the exchanges of a flow contain. */

import { fromBase64 } from '../../../../util/src/base64.ts'
import { essence } from '../../../../util/src/media-type.ts'
import { isUrl } from '../../../../util/src/parse-url.ts'
import { isStrings } from '../../../../util/src/strings.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { parseObject } from '../../jsonrpc/parse-object.ts'
import type { AuthExchange, AuthFacts, AuthStepId, FoundDocument } from './types.ts'

/** Returns the last exchange of a step. */
export function lastOf({ exchanges }: Pick<AuthFacts, 'exchanges'>, step: AuthStepId): AuthExchange | undefined {
  return exchanges.filter((exchange) => exchange.step === step).at(-1)
}

/** Returns the JSON object in a response, if it is one. */
export function documentOf(exchange: AuthExchange | undefined): JsonObject | undefined {
  return parseObject(exchange?.response?.body)
}

/** Returns the first document with status 200 that a step found. */
export function foundDocument({ exchanges }: Pick<AuthFacts, 'exchanges'>, step: AuthStepId): FoundDocument | undefined {
  for (const exchange of exchanges) {
    if (exchange.step !== step || exchange.response?.status !== 200) continue
    const document = documentOf(exchange)
    if (document) return { exchange, document }
  }
  return undefined
}

/** Returns a member if it is a text. */
export function stringMember(document: JsonObject | undefined, name: string): string | undefined {
  const value = document?.[name]
  return typeof value === 'string' ? value : undefined
}

/** Returns a member if it is a list of texts. */
export function stringsMember(document: JsonObject | undefined, name: string): readonly string[] | undefined {
  const value = document?.[name]
  return isStrings(value) ? value : undefined
}

/** Decodes the claims of a JSON Web Token, without verifying it. Returns `undefined` for another kind of token. */
export function decodeClaims(token: string | undefined): JsonObject | undefined {
  return decodePart(token, 1)
}

/** Decodes the header of a JSON Web Token. */
export function decodeHeader(token: string | undefined): JsonObject | undefined {
  return decodePart(token, 0)
}

function decodePart(token: string | undefined, index: number): JsonObject | undefined {
  const parts = token?.split('.') ?? []
  if (parts.length < 3) return undefined
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(decodeBase64Url(parts[index] ?? '')))
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function decodeBase64Url(text: string): Uint8Array {
  return fromBase64(text.replaceAll('-', '+').replaceAll('_', '/'))
}

/** Returns the media type of a response in lower case, without parameters. */
export function mediaTypeOf({ response }: AuthExchange): string {
  return essence(response?.headers['content-type'])
}

/** Reports whether a URL that a server names is safe: https, or http on this machine. */
export function isSafeUrl(text: string): boolean {
  if (!isUrl(text)) return false
  const { protocol, hostname } = new URL(text)
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]' || /^127\./.test(hostname)
  return protocol === 'https:' || (protocol === 'http:' && isLocal)
}
