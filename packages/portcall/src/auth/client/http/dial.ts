/** A request that was checked. */
export interface Dialled {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  readonly signal: AbortSignal
}

/** Sends one request and follows no redirect. */
export type Dial = (url: URL, request: Dialled) => Promise<Response>

/**
 * Makes the way out for everything that has `fetch`. What a name resolves to is not seen there: only what stands in the URL was checked.
 */
export function createWebDial(fetch: typeof globalThis.fetch = globalThis.fetch): Dial {
  return (url, { body, ...request }) => fetch(url.href, { ...request, redirect: 'manual', ...(body !== undefined && { body }) })
}
