/** What a browser got. */
export interface View {
  readonly status: number
  readonly headers: Headers
  readonly body: string
  /** Where it is sent. */
  readonly location: string | undefined
}

/** A browser that goes nowhere by itself: it keeps cookies, and does what it is told. */
export interface Window {
  readonly cookies: Map<string, string>
  get(url: string, headers?: Readonly<Record<string, string>>): Promise<View>
  /** Presses a button of a page that it was shown. */
  press(
    view: View,
    decision: 'allow' | 'deny',
    more?: { url: string; headers?: Record<string, string>; request?: string },
  ): Promise<View>
}

/** Opens a browser; all that it sends goes to one server, or to another without its cookies. */
export function openWindow(origin: string): Window {
  const cookies = new Map<string, string>()
  const load = async (url: string, init: RequestInit = {}): Promise<View> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const isOwn = new URL(url).origin === origin
    const headers = { ...(isOwn && cookie !== '' && { cookie }), ...(init.headers as Record<string, string>) }
    const response = await fetch(url, { ...init, headers, redirect: 'manual' })
    for (const line of isOwn ? response.headers.getSetCookie() : []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    const location = response.headers.get('location') ?? undefined
    return { status: response.status, headers: response.headers, body: await response.text(), location }
  }
  return {
    cookies,
    get: (url, headers = {}) => load(url, { headers }),
    press(view, decision, { url, headers = {}, request = sealedIn(view) } = { url: `${origin}/authorize` }) {
      return load(url, { method: 'POST', body: new URLSearchParams({ request, decision }), headers: { origin, ...headers } })
    },
  }
}

/** What a page of consent brings back with its answer. */
export function sealedIn({ body }: View): string {
  return /name="request" value="([^"]*)"/.exec(body)?.[1] ?? ''
}
