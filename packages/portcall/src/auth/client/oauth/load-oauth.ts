import type { AuthorizationServer } from 'oauth4webapi'
import type { AuthFetch, GrantContext } from '../types.ts'

type OAuth = typeof import('oauth4webapi')

/** oauth4webapi, set up for one authorization server. It sends requests with our fetch function, which applies the address policy. */
export interface OAuthLibrary {
  readonly oauth: OAuth
  /** The metadata as the type that the library expects. */
  readonly server: AuthorizationServer & GrantContext['server']
  readonly options: { readonly signal: AbortSignal }
}

/** Loads oauth4webapi on demand, so that programs that need no tokens do not load it. */
export async function loadOAuth({
  server,
  fetch,
  signal,
}: Pick<GrantContext, 'server' | 'fetch' | 'signal'>): Promise<OAuthLibrary> {
  const oauth = await import('oauth4webapi')
  const options = { [oauth.customFetch]: toCustomFetch(fetch), [oauth.allowInsecureRequests]: true, signal }
  return { oauth, server: server as OAuthLibrary['server'], options }
}

function toCustomFetch(fetch: AuthFetch): (url: string, init: RequestInit) => Promise<Response> {
  return (url, { method = 'GET', headers, body, signal }) =>
    fetch(url, {
      method,
      headers: headers as Readonly<Record<string, string>>,
      body: body as string | URLSearchParams | null,
      signal: signal ?? undefined,
    })
}
