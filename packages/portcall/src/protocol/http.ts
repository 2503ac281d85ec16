/** Hooks of an HTTP endpoint, shared by the HTTP transport and authorization. */
import type { Auth, HttpInfo } from '../jsonrpc/exchange.ts'

/** The head of an HTTP request: everything that is known before the body is read. */
export interface RequestHead extends HttpInfo {
  /** The HTTP method. */
  readonly method: string
  /** The request target as received: a path with an optional query, or an absolute URL. */
  readonly target: string
  /** Returns how often a header was sent, as far as the runtime reveals it. */
  headerCount(name: string): number
}

/** The body of a request: text, or a value that a framework parsed before. */
export type RequestBody =
  | {
      /** The body as text. */
      readonly text: string
    }
  | {
      /** The value that a framework parsed from the body. */
      readonly parsed: unknown
    }

/** A request as an `onRequest` hook receives it. */
export interface HookRequest extends RequestHead {
  /** The IP address of the connection's other end, if the runtime reveals it. Behind a reverse proxy, that is the proxy. */
  readonly remoteAddress?: string | undefined
  /** Reads the body within the limits of the endpoint. @throws HttpError 400, 408 or 413. */
  readBody(): RequestBody | Promise<RequestBody>
}

/** The complete response of an `onRequest` hook. */
export interface HookResponse {
  /** The HTTP status: an integer from 200 to 599. */
  readonly status: number
  /** The headers. Default: `cache-control: no-store`. The server sets `content-length`, `transfer-encoding` and `date` itself. */
  readonly headers?: Readonly<Record<string, string>>
  /** The body. Default: none. */
  readonly body?: string
}

/**
 * Answers a request to a path other than the MCP endpoint, such as `/.well-known/…`. Returns undefined to pass the request on to the
 * endpoint. Runs before authentication.
 */
export type OnRequest = (request: HookRequest) => HookResponse | undefined | Promise<HookResponse | undefined>

/** A request for a public document. Its `Host` has been checked. */
export interface DocumentRequest extends Pick<RequestHead, 'method' | 'target' | 'header'> {
  /** The `Host` header. */
  readonly host: string | undefined
}

/**
 * Finds the public document at the target of a request, such as a server card: returns the function that responds. Returns undefined if there is
 * none. Everybody may read the documents, pages of all origins included.
 */
export type PublicDocuments = (
  request: Pick<DocumentRequest, 'target'>,
) => ((request: DocumentRequest) => Promise<HookResponse>) | undefined

/**
 * Identifies the caller of a request. Throws `HttpError` to refuse it, with status 401 or 403. State that the caller creates is bound to
 * the returned `principal`.
 */
export type Authenticate = (request: RequestHead) => Auth | undefined | Promise<Auth | undefined>

/** Returns the headers of a 403 response that tell the caller which scopes the request needs. */
export type InsufficientScopeHeaders = (scopes: readonly string[], auth: Auth | undefined) => Readonly<Record<string, string>>

/** The member `data` of the error for a request to a path without an endpoint. */
export interface WrongPathData {
  /** The path of the endpoint. */
  readonly path: string
}

/** Returns the path of the endpoint that an error names, or the error in the response that it is about. */
export function endpointPathOf(error: object): string | undefined {
  const { data, error: inner } = error as { data?: unknown; error?: { data?: unknown } }
  const { path } = (data ?? inner?.data ?? {}) as { path?: unknown }
  return typeof path === 'string' && /^\/[\x21-\x7e]{0,1000}$/.test(path) ? path : undefined
}
