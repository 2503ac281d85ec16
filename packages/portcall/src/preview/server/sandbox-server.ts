/** Serves the proxy page of views, and receives what browsers report about them. */
import { readBody } from '../../../../util/src/read-body.ts'
import { sandboxHandler } from '../../apps/host/sandbox-handler.ts'
import { type LocalListener, listenOnLoopback } from './listen.ts'
import { type CspViolation, readViolation } from './violations.ts'

/** A proxy page that is served. */
export interface ServedSandbox extends LocalListener {
  /** Returns the URL of the proxy page for a view: each view has an origin of its own. */
  urlOf(view: string): string
}

const MAX_REPORT_BYTES = 64 * 1024
const VIEW_NAME = /^[\w-]{1,64}$/

/**
 * Serves the proxy page for the pages of an origin, at a path for each view, where browsers also report what they blocked. The names of views consist of
 * at most 64 letters, digits, `-` and `_`.
 */
export async function serveSandbox(
  origin: string,
  onViolation: (violation: CspViolation, view: string) => void,
): Promise<ServedSandbox> {
  const handle = sandboxHandler({ hosts: [origin] })
  const listener = await listenOnLoopback(async (request, response) => {
    const { method = 'GET', url = '/', headers } = request
    const view = url.slice(1).split('?', 1)[0] ?? ''
    if (!VIEW_NAME.test(view)) return void response.writeHead(404).end()
    if (method === 'POST') {
      const report = await readBody(request, MAX_REPORT_BYTES)
      const violation = report === undefined ? undefined : readViolation(report)
      if (violation) onViolation(violation, view)
      return void response.writeHead(204).end()
    }
    const answer = handle(new Request(new URL(url, `http://${headers.host}`), { method }))
    const fields = new Headers(answer.headers)
    const policy = fields.get('content-security-policy')
    if (policy) fields.set('content-security-policy', `${policy}; report-uri http://${headers.host}/${view}`)
    response.writeHead(answer.status, Object.fromEntries(fields)).end(await answer.text())
  })
  return { ...listener, urlOf: (view) => `http://*.localhost:${listener.port}/${view}` }
}
