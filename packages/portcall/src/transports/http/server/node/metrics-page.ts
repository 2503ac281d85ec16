import type { IncomingMessage, ServerResponse } from 'node:http'
import { pathOf } from '../../../../../../util/src/request-target.ts'
import type { MetricsPage } from '../../../../protocol/metrics.ts'

/** Answers a scrape of metrics. Returns whether the request was one. */
export function respondWithMetrics(page: MetricsPage, request: IncomingMessage, response: ServerResponse): boolean {
  if (request.method !== 'GET' || pathOf(request.url ?? '') !== page.path) return false
  if (!page.isAllowed(request.headers.authorization)) send(response, { status: 401, text: 'unauthorized\n' })
  else
    void page.render().then(
      (text) => send(response, { status: 200, text, contentType: page.contentType }),
      () => send(response, { status: 500, text: 'unavailable\n' }),
    )
  return true
}

interface MetricsResponse {
  readonly status: number
  readonly text: string
  readonly contentType?: string
}

function send(response: ServerResponse, { status, text, contentType = 'text/plain' }: MetricsResponse): void {
  const challenge = status === 401 && { 'www-authenticate': 'Bearer' }
  response.writeHead(status, { 'content-type': contentType, 'cache-control': 'no-store', ...challenge }).end(text)
}
