/** A local page that shows the views of a server. */
import { checkOptions, type OptionNames } from '../../../util/src/check-options.ts'
import type { AppClient } from '../apps/host/types.ts'
import { servePages } from './server/page-server.ts'
import type { CspViolation } from './server/violations.ts'
import { listViewTools } from './view-tools.ts'

/** Options of `servePreview`. */
export interface ServePreviewOptions {
  /** The connection to the server of the views. */
  readonly client: AppClient
  /** The port of the page. Default: any free port. */
  readonly port?: number
}

const NAMES: OptionNames<ServePreviewOptions> = { client: 'object', port: 'number' }

/** A preview that is served. */
export interface Preview {
  /** The URL of the page. Its path is secret: the page can call the tools of the server. */
  readonly url: string
  /** Stops to serve. */
  close(): Promise<void>
}

const MAX_VIOLATIONS = 200
/** Violations are kept for the views that were shown last. */
const MAX_VIEWS = 20

/**
 * Serves a page on this machine that shows the views of a server in any host, theme, width and language, with their messages.
 *
 * @throws TypeError if an option is invalid.
 */
export async function servePreview(options: ServePreviewOptions): Promise<Preview> {
  checkOptions('servePreview()', options, {
    names: NAMES,
    required: { client: 'Pass the connection to the server: await connect(url)' },
  })
  const { client, port } = options
  const violations = new Map<string, CspViolation[]>()
  const pages = await servePages({
    page: 'preview',
    client,
    ...(port !== undefined && { port }),
    onViolation(violation, view) {
      const list = violations.get(view) ?? []
      violations.set(view, list)
      if (list.length < MAX_VIOLATIONS) list.push(violation)
      const [oldest = ''] = violations.keys()
      if (violations.size > MAX_VIEWS) violations.delete(oldest)
    },
    routes: {
      tools: async (_request, response) =>
        sendJson(response, { tools: await listViewTools(client), sandbox: pages.sandboxOf('VIEW') }),
      violations: (_request, response) => sendJson(response, Object.fromEntries(violations)),
    },
  })
  return { url: pages.url, close: () => pages.close() }
}

function sendJson(
  response: { setHeader(name: string, value: string): unknown; end(text: string): unknown },
  value: unknown,
): void {
  response.setHeader('content-type', 'application/json; charset=utf-8')
  response.setHeader('cache-control', 'no-store')
  response.end(JSON.stringify(value))
}
