import type { OAuthEndpoint, OAuthRequest } from './request.ts'

/**
 * The fault of a response. With a `status` or a `body`, it replaces the correct response. Otherwise the correct response is delayed, padded
 * or suppressed.
 */
export interface FaultyResponse {
  /** The HTTP status. Default: 200 if there is a body, otherwise that of the response. */
  readonly status?: number
  /** Additional response headers. */
  readonly headers?: Readonly<Record<string, string>>
  /** A string, or a value that is sent as JSON. */
  readonly body?: unknown
  /** How long to delay the response, in milliseconds. Default: 0. */
  readonly delayMs?: number
  /** The number of spaces that precede the body. */
  readonly paddingBytes?: number
  /** Sends spaces without end. */
  readonly endless?: boolean
  /** Sends nothing, and leaves the connection open. */
  readonly hang?: boolean
  /** Resets the connection. */
  readonly reset?: boolean
}

/** The fault of an endpoint. A function decides for each request; `undefined` means no fault. */
export type EndpointFault = FaultyResponse | ((request: OAuthRequest) => FaultyResponse | undefined)

/** The faults of a server. Members that override others are removed by `undefined`. */
export interface AuthorizationFaults {
  /** Overrides members of the metadata. */
  readonly metadata?: Readonly<Record<string, unknown>>
  /** Overrides parameters of authorization responses. */
  readonly redirect?: Readonly<Record<string, string | undefined>>
  /** Overrides members of token responses. */
  readonly token?: Readonly<Record<string, unknown>>
  /** Overrides claims of access tokens. */
  readonly claims?: Readonly<Record<string, unknown>>
  /** The faults of responses, by endpoint. */
  readonly responses?: { readonly [endpoint in OAuthEndpoint]?: EndpointFault }
}

/** Returns the fault of the response to a request. */
export function faultOf(request: OAuthRequest, { responses }: AuthorizationFaults): FaultyResponse | undefined {
  const fault = responses?.[request.endpoint]
  return typeof fault === 'function' ? fault(request) : fault
}

/** Returns `members` with those in `overrides` replaced; `undefined` removes a member. */
export function override<T>(
  members: Readonly<Record<string, T>>,
  overrides: Readonly<Record<string, T | undefined>> = {},
): Record<string, T> {
  const entries = Object.entries({ ...members, ...overrides })
  return Object.fromEntries(entries.filter((entry): entry is [string, T] => entry[1] !== undefined))
}
