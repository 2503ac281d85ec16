/** Serves the page of the test host, and the proxy page on another origin. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { randomId } from '../../../../util/src/random.ts'
import { readBody } from '../../../../util/src/read-body.ts'
import type { AppClient } from '../../apps/host/types.ts'
import { answerPage } from './answer-page.ts'
import { listenOnLoopback } from './listen.ts'
import { PAGE_HTML, pageScript } from './page-files.ts'
import { serveSandbox } from './sandbox-server.ts'
import type { CspViolation } from './violations.ts'

/** Options of `servePages`. */
export interface ServePagesOptions {
  /** The connection to the server of the views. */
  readonly client: AppClient
  /** Receives what the policy of a view blocked. `view` is the name that the sandbox URL has. */
  readonly onViolation: (violation: CspViolation, view: string) => void
}

/** A page that is served. */
export interface ServedPages {
  /** The URL of the page. Its path is secret. */
  readonly url: string
  /** Returns the URL of the proxy page for a view: each view has an origin of its own. */
  sandboxOf(view: string): string
  /** Stops to serve. */
  close(): Promise<void>
}

const MAX_REQUEST_BYTES = 64 * 1024 * 1024

/** Serves the page and its proxy pages on the loopback address. */
export async function servePages(options: ServePagesOptions): Promise<ServedPages> {
  const key = randomId()
  const script = pageScript()
  let origin = ''
  const sandbox = await serveSandbox(options.onViolation)
  const pages = await listenOnLoopback(async (request, response) => {
    const { method, url = '', headers } = request
    const isOwn = headers.host === new URL(origin).host && (headers.origin === undefined || headers.origin === origin)
    const [path = ''] = url.split('?', 1)
    if (!isOwn || !path.startsWith(`/${key}/`)) return void response.writeHead(404).end()
    const name = path.slice(key.length + 2)
    if (method === 'POST' && name === 'rpc' && headers.origin === origin) return answerRequest(options.client, request, response)
    if (method !== 'GET') return void response.writeHead(405).end()
    if (name === 'page.js') return send(response, script, 'text/javascript')
    if (name !== '') return void response.writeHead(404).end()
    response.setHeader('content-security-policy', pagePolicy(sandbox.port))
    send(response, PAGE_HTML, 'text/html')
  }).catch(async (error: unknown) => {
    await sandbox.close()
    throw error
  })
  origin = `http://127.0.0.1:${pages.port}`
  sandbox.allow(origin)
  return {
    url: `${origin}/${key}/`,
    sandboxOf: sandbox.urlOf,
    close: async () => void (await Promise.all([pages.close(), sandbox.close()])),
  }
}

/** The page shows what others wrote, so that it may load nothing itself. */
const pagePolicy = (sandboxPort: number): string =>
  `default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src data:; connect-src 'self'; frame-src http://*.localhost:${sandboxPort}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

async function answerRequest(client: AppClient, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const gone = new AbortController()
  response.on('close', () => gone.abort())
  const body = await readBody(request, MAX_REQUEST_BYTES)
  if (body === undefined) return void response.writeHead(413).end()
  send(response, JSON.stringify(await answerPage(client, body, gone.signal)), 'application/json')
}

function send(response: ServerResponse, body: string, type: string): void {
  response
    .writeHead(200, {
      'content-type': `${type}; charset=utf-8`,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
    })
    .end(body)
}
