import type { ClientRequest, IncomingMessage } from 'node:http'
import { systemCodeOf } from '../../../../../util/src/connection-faults.ts'
import { errorMessage } from '../../../../../util/src/errors.ts'
import { essence } from '../../../../../util/src/media-type.ts'
import { decodeMessage } from '../../../net/decode-message.ts'
import { createProxyLookup } from '../../../net/proxy-setting.ts'
import { createHttpRoutes } from '../../../net/routes.ts'
import type { HttpObservation } from '../facts.ts'

/** One request of a diagnosis. */
export interface HttpProbe {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Time allowed for the whole response, in milliseconds. */
  readonly timeoutMs: number
  /** Reports whether enough of the body has arrived. The rest is then discarded. */
  readonly until?: (text: string) => boolean
}

const MAX_BYTES = 65_536

/** Sends a request and describes the response. Follows no redirect. Never rejects. */
export function sendHttp(url: URL, probe: HttpProbe): Promise<HttpObservation> {
  const { method, headers = {}, body, timeoutMs, until = () => false } = probe
  const startedAt = performance.now()
  return new Promise((resolve) => {
    let received: IncomingMessage | undefined
    let request: ClientRequest | undefined
    let text = ''
    let bytes = 0
    const finish = (error?: HttpObservation['error'], isComplete = false): void => {
      clearTimeout(timer)
      const status = received?.statusCode
      resolve({
        method,
        url,
        sent: headers,
        ...(status !== undefined && { status }),
        headers: headersOf(received),
        body: text,
        bytes,
        isComplete,
        durationMs: Math.round(performance.now() - startedAt),
        ...(error && { error }),
      })
      request?.destroy()
    }
    const timer = setTimeout(() => finish({ code: 'TIMEOUT', message: `no response within ${timeoutMs} ms` }), timeoutMs)
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const allHeaders = { 'user-agent': 'portcall', host: url.host, ...headers, ...length }
    try {
      request = startRequest(url, { method, headers: allHeaders })
    } catch (error) {
      return finish({ code: systemCodeOf(error), message: errorMessage(error) })
    }
    request.on('error', (error) => finish({ code: systemCodeOf(error), message: errorMessage(error) }))
    request.on('response', (response) => {
      received = response
      const read = async (): Promise<void> => {
        const decoder = new TextDecoder()
        for await (const chunk of decodeMessage(response, url)) {
          bytes += chunk.length
          if (text.length < MAX_BYTES) text += decoder.decode(chunk, { stream: true })
          if (text.length >= MAX_BYTES || until(text)) return finish()
        }
        text += decoder.decode()
        finish(undefined, true)
      }
      read().catch((error: unknown) => finish({ code: systemCodeOf(error), message: errorMessage(error) }))
    })
    request.end(body)
  })
}

/** Returns the proxy that requests to a URL go through, if there is one. A proxy that cannot be used is the error of the request. */
export function proxyOf(url: URL): URL | undefined {
  try {
    return createProxyLookup(undefined)?.(url)
  } catch {
    return undefined
  }
}

function startRequest(url: URL, { method, headers }: { method: string; headers: Record<string, string> }): ClientRequest {
  const route = createHttpRoutes({ keepAlive: false }, createProxyLookup(undefined)).routeOf(url)
  return route.request({ ...route.options, method, headers: { ...headers, ...route.headers } })
}

function headersOf(response: IncomingMessage | undefined): Record<string, string> {
  const entries = Object.entries(response?.headers ?? {})
  return Object.fromEntries(entries.map(([name, value]) => [name, [value].flat().join(', ')]))
}

/** Reports whether a media type is the type of a response. */
export function hasType({ headers }: HttpObservation, type: string): boolean {
  return essence(headers['content-type']) === type
}
