import type { GuardedRequest } from './types.ts'

/** A token, and the scheme it came with. */
export interface Sent {
  readonly scheme: 'bearer' | 'dpop'
  readonly token: string
}

/** What the `Authorization` header of a request holds. */
export type Presented =
  | Sent
  /** Nothing that is meant for us. */
  | 'none'
  /** Something that no scheme allows. */
  | 'malformed'
  /** More than one header. */
  | 'several'

const TOKEN = /^(bearer|dpop) +([\w\-.~+/]+=*) *$/i
const OURS = /^(bearer|dpop)( |$)/i
/** Longer tokens are not looked at. */
const MAX_TOKEN_LENGTH = 16 * 1024

/** Finds the access token of a request: in its header, and nowhere else (RFC 6750, section 2.1). */
export function readCredentials(request: GuardedRequest): Presented {
  if (request.headerCount('authorization') > 1) return 'several'
  const value = request.header('authorization')
  if (value === undefined || !OURS.test(value)) return 'none'
  const [, scheme = '', token = ''] = value.length > MAX_TOKEN_LENGTH ? [] : (TOKEN.exec(value) ?? [])
  if (token === '') return 'malformed'
  return { scheme: scheme.toLowerCase() === 'dpop' ? 'dpop' : 'bearer', token }
}
