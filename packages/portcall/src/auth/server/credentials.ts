import type { RequestHead } from '../../protocol/http.ts'

/** An access token and the scheme that it was sent with. */
export interface Credentials {
  readonly scheme: 'bearer' | 'dpop'
  readonly token: string
}

/** The content of the `Authorization` header. */
export type CredentialsResult =
  | Credentials
  /** There is no header, or it has another scheme. */
  | 'none'
  /** The token is missing, too long or syntactically invalid. */
  | 'malformed'
  /** There is more than one header. */
  | 'several'

const CREDENTIALS = /^(bearer|dpop) +([\w\-.~+/]+=*) *$/i
const SUPPORTED_SCHEME = /^(bearer|dpop)( |$)/i
const MAX_TOKEN_LENGTH = 16 * 1024

/** Reads the access token from the `Authorization` header, the only place where it is accepted (RFC 6750, section 2.1). */
export function readCredentials(request: RequestHead): CredentialsResult {
  if (request.headerCount('authorization') > 1) return 'several'
  const value = request.header('authorization')
  if (value === undefined || !SUPPORTED_SCHEME.test(value)) return 'none'
  const [, scheme = '', token = ''] = value.length > MAX_TOKEN_LENGTH ? [] : (CREDENTIALS.exec(value) ?? [])
  if (token === '') return 'malformed'
  return { scheme: scheme.toLowerCase() === 'dpop' ? 'dpop' : 'bearer', token }
}
