/** A headless browser that stores cookies, follows redirects and submits forms. */
export interface Browser {
  /** Opens a URL and returns the final page. */
  open(url: string): Promise<Page>
}

export interface Page {
  readonly url: string
  readonly status: number
  readonly html: string
}

const MAX_STEPS = 15

export interface BrowserOptions {
  /** A URL that is not loaded. A page is returned for any URL that starts with it. */
  readonly stopAt?: string
}

/** Creates a browser whose user presses the first button of each form. */
export function createBrowser({ stopAt }: BrowserOptions = {}): Browser {
  const jars = new Map<string, Map<string, string>>()

  const load = async (url: string, form?: URLSearchParams): Promise<{ response: Response; html: string }> => {
    const { origin } = new URL(url)
    const cookies = jars.get(origin) ?? new Map<string, string>()
    jars.set(origin, cookies)
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const init = form ? { method: 'POST', body: form } : {}
    // Each page is loaded on a connection of its own, so that the workers of a server take turns.
    const headers = { cookie, connection: 'close', ...(form && { origin }) }
    const response = await fetch(url, { ...init, headers, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
    return { response, html: await response.text() }
  }

  return {
    async open(start) {
      let url = start
      let form: URLSearchParams | undefined
      for (let step = 0; step < MAX_STEPS; step++) {
        if (stopAt !== undefined && url.startsWith(stopAt)) return { url, status: 0, html: '' }
        const { response, html } = await load(url, form)
        const location = response.headers.get('location')
        const next = location === null ? readForm(html) : undefined
        if (location === null && !next) return { url, status: response.status, html }
        form = next?.values
        url = new URL(location ?? next?.action ?? '', url).href
      }
      throw new Error(`More than ${MAX_STEPS} pages after ${start}`)
    },
  }
}

/** Returns the form of a page with its default values and its first button. */
function readForm(html: string): { action: string; values: URLSearchParams } | undefined {
  const form = /<form\b[^>]*>/.exec(html)?.[0]
  if (form === undefined) return undefined
  const values = new URLSearchParams()
  for (const [tag] of html.matchAll(/<(?:input|button)\b[^>]*>/g)) {
    const name = attribute(tag, 'name')
    if (name !== undefined && name !== 'abort' && !values.has(name)) values.set(name, attribute(tag, 'value') ?? '')
  }
  return { action: attribute(form, 'action') ?? '', values }
}

function attribute(tag: string, name: string): string | undefined {
  return new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1]
}
