import type { Endpoint, OAuthRequest } from './request.ts'

/** What is wrong with an answer. With a status or a body it takes the place of the right one, which else comes late, or behind much else. */
export interface FaultyAnswer {
  /** Default with a body: 200. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** A text, or a value that is sent as JSON. */
  readonly body?: unknown
  /** It comes so many milliseconds later. */
  readonly delayMs?: number
  /** So many spaces come before the body. */
  readonly padding?: number
  /** The spaces have no end. */
  readonly endless?: boolean
  /** Nothing comes, and the connection stays open. */
  readonly hangs?: boolean
  /** The connection is reset. */
  readonly resets?: boolean
}

/** What is wrong with the answers of an endpoint; a function decides for each request, and `undefined` is nothing. */
export type EndpointFault = FaultyAnswer | ((request: OAuthRequest) => FaultyAnswer | undefined)

/** What a server does wrong. In what is laid over, `undefined` takes a member away. */
export interface AuthorizationFaults {
  /** Laid over the metadata. */
  readonly metadata?: Readonly<Record<string, unknown>>
  /** Laid over the parameters of an authorization response. */
  readonly redirect?: Readonly<Record<string, string | undefined>>
  /** Laid over token responses. */
  readonly token?: Readonly<Record<string, unknown>>
  /** Laid over the claims of access tokens. */
  readonly claims?: Readonly<Record<string, unknown>>
  readonly answers?: { readonly [endpoint in Endpoint]?: EndpointFault }
}

/** What is wrong with the answer to a request, if anything is. */
export function faultOf(request: OAuthRequest, { answers }: AuthorizationFaults): FaultyAnswer | undefined {
  const fault = answers?.[request.endpoint]
  return typeof fault === 'function' ? fault(request) : fault
}

/** Lays members over others; `undefined` takes one away. */
export function layOver<T>(
  members: Readonly<Record<string, T>>,
  over: Readonly<Record<string, T | undefined>> = {},
): Record<string, T> {
  const entries = Object.entries({ ...members, ...over })
  return Object.fromEntries(entries.filter((entry): entry is [string, T] => entry[1] !== undefined))
}
