/** Serves the proxy page of views, and receives what browsers report about them. */
import { readBody } from '../../../../util/src/read-body.ts'
import { sandboxHandler } from '../../apps/host/sandbox-handler.ts'
import { type LocalListener, listenOnLoopback } from './listen.ts'
import { type CspViolation, readViolation } from './violations.ts'

/** A proxy page that is served. */
export interface ServedSandbox extends LocalListener {
  /** Lets the pages of an origin show views. */
  allow(origin: string): void
  /** Returns the URL of the proxy page for a view: each view has an origin of its own. */
  urlOf(view: string): string
}

const MAX_REPORT_BYTES = 64 * 1024
const VIEW_NAME = /^[\w-]{1,64}$/

/**
 * Serves the proxy page at a path for each view, where browsers also report what they blocked. The names of views consist of at most 64 letters, digits,
 * `-` and `_`.
 */
export async function serveSandbox(onViolation: (violation: CspViolation, view: string) => void): Promise<ServedSandbox> {
  const hosts = new Set<string>()
  let handle: ReturnType<typeof sandboxHandler> | undefined
  const listener = await listenOnLoopback(async (request, response) => {
    const { method = 'GET', url = '/', headers } = request
    const view = url.slice(1).split('?', 1)[0] ?? ''
    if (!handle || !VIEW_NAME.test(view)) return void response.writeHead(404).end()
    if (method === 'POST') {
      const report = await readBody(request, MAX_REPORT_BYTES)
      const violation = report === undefined ? undefined : readViolation(report)
      if (violation) onViolation(violation, view)
      return void response.writeHead(204).end()
    }
    const answer = await handle(new Request(new URL(url, `http://${headers.host}`), { method }))
    const fields = new Headers(answer.headers)
    const policy = fields.get('content-security-policy')
    if (policy) fields.set('content-security-policy', `${policy}; report-uri http://${headers.host}/${view}`)
    response.writeHead(answer.status, Object.fromEntries(fields)).end(await answer.text())
  })
  return {
    ...listener,
    allow(origin) {
      hosts.add(origin)
      handle = sandboxHandler({ hosts: [...hosts] })
    },
    urlOf: (view) => `http://*.localhost:${listener.port}/${view}`,
  }
}
