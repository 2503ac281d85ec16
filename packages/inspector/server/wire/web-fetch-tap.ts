import type { Timeline } from '../timeline/timeline.ts'
import { callScope } from './call-scope.ts'
import { describeWireError, nextHttpId } from './http-tap.ts'
import { maskExcerpt, maskValues } from './mask.ts'

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
      url: maskExcerpt(request.url),
      requestHeaders: maskValues(headers),
      state: 'pending',
    })
    const elapsed = (): number => performance.now() - startedAt
    try {
      const response = await fetch(input, init)
      const text = await response.clone().text()
      timeline.update(id, {
        status: response.status,
        responseHeaders: maskValues(Object.fromEntries(response.headers)),
        responseBytes: Buffer.byteLength(text),
        bodyText: maskExcerpt(text),
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
