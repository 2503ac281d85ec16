import type { Timeline } from '../timeline/timeline.ts'
import { callScope } from './call-scope.ts'
import { describeWireError, nextHttpId } from './http-tap.ts'
import { maskHeaders } from './mask.ts'

const MAX_EXCERPT = 4000
/** Members of OAuth bodies whose values are secrets. */
const SECRETS =
  /((?:access_token|refresh_token|id_token|code|code_verifier|client_secret|client_assertion|assertion|password)(?:=|"\s*:\s*"))[^&"]+/g

/** Wraps the platform's `fetch`, so that the requests for metadata, registrations and tokens are recorded, with their secrets masked. */
export function tapWebFetch(
  fetch: typeof globalThis.fetch,
  { serverId, timeline }: { readonly serverId: string; readonly timeline: Timeline },
): typeof globalThis.fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    const startedAt = performance.now()
    const operationId = callScope.getStore()?.operationId
    const headers = Object.fromEntries(request.headers)
    const id = timeline.add({
      type: 'http',
      serverId,
      time: performance.timeOrigin + startedAt,
      ...(operationId !== undefined && { operationId }),
      httpId: nextHttpId(),
      purpose: 'auth',
      method: request.method,
      url: maskBody(request.url),
      requestHeaders: maskHeaders(headers),
      state: 'pending',
    })
    const elapsed = (): number => performance.now() - startedAt
    try {
      const response = await fetch(input, init)
      const text = await response.clone().text()
      timeline.update(id, {
        status: response.status,
        responseHeaders: maskHeaders(Object.fromEntries(response.headers)),
        responseBytes: Buffer.byteLength(text),
        bodyText: maskBody(text.slice(0, MAX_EXCERPT)),
        state: 'done',
        durationMs: elapsed(),
      })
      return response
    } catch (error) {
      timeline.update(id, { state: 'failed', failure: describeWireError(error), durationMs: elapsed() })
      throw error
    }
  }
}

/** Masks the secrets in a form, a query or a JSON text of OAuth. */
function maskBody(text: string): string {
  return text.replace(SECRETS, '$1••••')
}
