import type { AuthorizationServer } from 'oauth4webapi'
import type { AuthFetch, GrantContext } from './types.ts'

type OAuth = typeof import('oauth4webapi')

/** The library that knows OAuth, made ready to talk to one authorization server through our fetch, which does the guarding. */
export interface Ready {
  readonly oauth: OAuth
  /** The metadata in the form that it takes. */
  readonly server: AuthorizationServer & GrantContext['server']
  readonly options: { readonly signal: AbortSignal }
}

/** Loads the library; nobody pays for it who needs no token. */
export async function loadOAuth({ server, fetch, signal }: Pick<GrantContext, 'server' | 'fetch' | 'signal'>): Promise<Ready> {
  const oauth = await import('oauth4webapi')
  const options = { [oauth.customFetch]: customFetch(fetch), [oauth.allowInsecureRequests]: true, signal }
  return { oauth, server: server as Ready['server'], options }
}

function customFetch(fetch: AuthFetch): (url: string, init: RequestInit) => Promise<Response> {
  return (url, { method = 'GET', headers, body, signal }) =>
    fetch(url, {
      method,
      headers: headers as Readonly<Record<string, string>>,
      body: body as string | URLSearchParams | null,
      signal: signal ?? undefined,
    })
}
