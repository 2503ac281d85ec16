import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'

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
  /** The values that the user enters in fields, by their names. Default: those that are there. */
  readonly answers?: Readonly<Record<string, string>>
}

/** Creates a browser whose user presses the first button of each form. */
export function createBrowser({ stopAt, answers = {} }: BrowserOptions = {}): Browser {
  const jars = new Map<string, Map<string, string>>()

  const load = async (url: string, form?: URLSearchParams): Promise<{ response: IncomingMessage; html: string }> => {
    const { origin } = new URL(url)
    const cookies = jars.get(origin) ?? new Map<string, string>()
    jars.set(origin, cookies)
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    // Each page is loaded on a connection of its own, so that the workers of a server take turns.
    const headers = {
      cookie,
      connection: 'close',
      accept: 'text/html',
      'sec-fetch-mode': 'navigate',
      ...(form && { origin, 'content-type': 'application/x-www-form-urlencoded' }),
    }
    const sending = request(url, { method: form ? 'POST' : 'GET', headers }).end(form?.toString())
    const [response] = (await once(sending, 'response')) as [IncomingMessage]
    for (const line of response.headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
    return { response, html: await text(response) }
  }

  return {
    async open(start) {
      let url = start
      let form: URLSearchParams | undefined
      for (let step = 0; step < MAX_STEPS; step++) {
        if (stopAt !== undefined && url.startsWith(stopAt)) return { url, status: 0, html: '' }
        const { response, html } = await load(url, form)
        const { location = null } = response.headers
        const next = location === null ? readForm(html, answers) : undefined
        if (location === null && !next) return { url, status: response.statusCode ?? 0, html }
        form = next?.values
        url = new URL(location ?? next?.action ?? '', url).href
      }
      throw new Error(`More than ${MAX_STEPS} pages after ${start}`)
    },
  }
}

/** Returns the first form of a page with its default values or answers, and its first button. */
function readForm(
  html: string,
  answers: Readonly<Record<string, string>>,
): { action: string; values: URLSearchParams } | undefined {
  const form = /<form\b[^>]*>.*?(?:<\/form>|$)/s.exec(html)?.[0]
  if (form === undefined) return undefined
  const values = new URLSearchParams()
  let pressed = false
  for (const [tag] of form.matchAll(/<(?:input|button)\b[^>]*>/g)) {
    const name = attribute(tag, 'name')
    const isButton = tag.startsWith('<button') || attribute(tag, 'type') === 'submit'
    if (name === undefined || name === 'abort' || values.has(name) || (isButton && pressed)) continue
    pressed ||= isButton
    values.set(name, (Object.hasOwn(answers, name) ? answers[name] : attribute(tag, 'value')) ?? '')
  }
  return { action: attribute(form, 'action') ?? '', values }
}

function attribute(tag: string, name: string): string | undefined {
  const value = new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1]
  return value
    ?.replaceAll('&quot;', '"')
    .replaceAll('&#x27;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}
