import type { IncomingMessage } from 'node:http'
import { HttpError } from 'portcall/http'
import { createHostCheck } from '../../../portcall/src/transports/http/server/host-check.ts'
import { constantTimeEqual } from '../../../util/src/digest.ts'
import { countHeader } from '../../../util/src/header-names.ts'
import { LOOPBACK_NAMES } from '../../../util/src/loopback-host.ts'
import { randomId } from '../../../util/src/random.ts'
import { queryOf } from '../../../util/src/request-target.ts'

/** Decides which requests reach the inspector. */
export interface Access {
  /** Checks `Host` and `Origin`, on every route. @throws HttpError 400 or 403 */
  checkOrigin(request: IncomingMessage): void
  /** Checks that a browser sends the request from the page itself. @throws HttpError 403 */
  checkSameOrigin(request: IncomingMessage): void
  /** Checks the cookie and the key of the page. @throws HttpError 401 */
  checkSignedIn(request: IncomingMessage): void
  /** Redeems the token of a link, once. Returns `undefined` if the token is wrong or was used. */
  redeem(token: string, request: IncomingMessage): SignIn | undefined
  /** Returns the token of a new link, which replaces the earlier one. */
  newToken(): string
}

/** The credentials of a page: a browser sends the cookie to every port of its host, and the key only as the page does. */
export interface SignIn {
  /** The `Set-Cookie` header. */
  readonly cookie: string
  /** The key that the page stores for its origin, and sends with each request. */
  readonly key: string
}

export interface AccessOptions {
  /** Host names besides those of loopback. */
  readonly allowedHosts?: readonly string[]
  /** The path that the inspector is mounted at; ends with a slash. */
  readonly basePath: string
}

const TOKEN_BYTES = 32
const COOKIE = 'portcall_inspector'
const KEY_HEADER = 'x-inspector-key'
const SITES: ReadonlySet<string> = new Set(['same-origin', 'none'])

/** Creates the access of one inspector. Its cookie and key are valid until the process ends. */
export function createAccess({ allowedHosts, basePath }: AccessOptions): Access {
  const [secret, key] = [randomId(TOKEN_BYTES), randomId(TOKEN_BYTES)]
  const checkHost = createHostCheck({ ...(allowedHosts && { allowedHosts: [...LOOPBACK_NAMES, ...allowedHosts] }) })
  let token: string | undefined
  const hasCookie = (request: IncomingMessage): boolean => {
    const start = `${cookieName(request)}=`
    const cookies = (request.headers.cookie ?? '').split(';').map((part) => part.trim())
    return cookies.some((cookie) => cookie.startsWith(start) && constantTimeEqual(cookie.slice(start.length), secret))
  }
  return {
    checkOrigin(request) {
      const { headers, rawHeaders, url = '' } = request
      const header = (name: string): string | undefined => headers[name.toLowerCase()]?.toString()
      checkHost({ host: countHeader(rawHeaders, 'host') === 1 ? headers.host : undefined, target: url, header })
      const { origin, host } = headers
      if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`)
        throw accessError(403, 'The origin of the request is not the inspector')
    },
    checkSameOrigin({ headers }) {
      const site = headers['sec-fetch-site']
      if (site !== undefined && !SITES.has(String(site))) throw accessError(403, 'The request comes from another site')
    },
    checkSignedIn(request) {
      if (!hasCookie(request) || !constantTimeEqual(keyOf(request), key))
        throw accessError(401, 'Open the link that portcall printed')
    },
    redeem(sent, request) {
      if (token === undefined || !constantTimeEqual(sent, token)) return undefined
      token = undefined
      return { cookie: `${cookieName(request)}=${secret}; Path=${basePath}; HttpOnly; SameSite=Strict`, key }
    },
    newToken() {
      token = randomId(TOKEN_BYTES)
      return token
    },
  }
}

/** Returns the name of the cookie. Cookies ignore ports, so it differs for each inspector. */
function cookieName({ headers }: IncomingMessage): string {
  const [, port = ''] = /:(\d{1,5})$/.exec(headers.host ?? '') ?? []
  return port === '' ? COOKIE : `${COOKIE}_${port}`
}

/** Returns the key of the page: a header, or a parameter of the event stream, whose headers a page cannot set. */
function keyOf({ headers, url = '' }: IncomingMessage): string {
  return headers[KEY_HEADER]?.toString() ?? queryOf(url).get('key') ?? ''
}

/** Creates the error of a refused request. */
export function accessError(status: number, message: string): HttpError {
  return new HttpError(status, {}, { code: 0, message })
}
