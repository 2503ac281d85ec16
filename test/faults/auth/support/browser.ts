/** A response as a browser sees it. */
export interface Page {
  readonly status: number
  readonly headers: Headers
  readonly body: string
  /** The target of a redirect. */
  readonly location: string | undefined
}

/** A browser that stores cookies and follows no redirects. */
export interface TestBrowser {
  readonly cookies: Map<string, string>
  get(url: string, headers?: Readonly<Record<string, string>>): Promise<Page>
  /** Submits the form of a page with one of its buttons. */
  press(
    view: Page,
    decision: 'allow' | 'deny',
    more?: { url: string; headers?: Record<string, string>; request?: string },
  ): Promise<Page>
}

/** Creates a browser, which sends the cookies of one origin to this origin only. */
export function createBrowser(origin: string): TestBrowser {
  const cookies = new Map<string, string>()
  const load = async (url: string, init: RequestInit = {}): Promise<Page> => {
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
    press(view, decision, { url, headers = {}, request = sealedRequestIn(view) } = { url: `${origin}/authorize` }) {
      return load(url, { method: 'POST', body: new URLSearchParams({ request, decision }), headers: { origin, ...headers } })
    },
  }
}

/** Returns the sealed request in the form of a consent page. */
export function sealedRequestIn({ body }: Page): string {
  return /name="request" value="([^"]*)"/.exec(body)?.[1] ?? ''
}
