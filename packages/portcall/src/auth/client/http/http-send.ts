/** Bytes that `fetch` accepts, in words that TypeScript 5.4 reads too: `Uint8Array` has had a parameter since 5.7. */
type Bytes = ReturnType<Uint8Array['slice']>

/** A request whose URL has been checked. */
export interface HttpSendRequest {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Bytes | undefined
  readonly signal: AbortSignal
}

/** Sends one request and does not follow redirects. */
export type HttpSend = (url: URL, request: HttpSendRequest) => Promise<Response>

/** Creates an HTTP client on top of `fetch`. It checks the URL only, because `fetch` does not reveal what a name resolves to. */
export function createWebSend(fetch: typeof globalThis.fetch = globalThis.fetch): HttpSend {
  return (url, { body, ...request }) => fetch(url.href, { ...request, redirect: 'manual', ...(body !== undefined && { body }) })
}
