/** The proxy page: it has the second origin, holds the frame of a view, and passes messages between view and host. */
import { checkOptions, type OptionNames } from '../../../../util/src/check-options.ts'
import { parseUrl } from '../../../../util/src/parse-url.ts'

/** Options of `sandboxPage` and `sandboxHandler`. */
export interface SandboxOptions {
  /** The origins of the pages that may show views, such as `https://chat.example.com`. */
  readonly hosts: readonly string[]
}

const NAMES: OptionNames<SandboxOptions> = { hosts: 'texts' }

/**
 * The parameters in the query of the proxy page: the origin of the host, the policy of the view, and the URL of the page that becomes the view, if it has an
 * origin of its own. That page has the origin of the proxy page instead.
 */
export const SandboxParam = { host: 'host', policy: 'csp', view: 'view', proxy: 'proxy' } as const

/** The start of the methods between the host, the proxy page and the page of a view. They never reach a view. */
const OWN = 'ui/notifications/sandbox-'

/** The methods between the host and the proxy page. */
export const SANDBOX_METHODS = {
  proxyReady: 'ui/notifications/sandbox-proxy-ready',
  resourceReady: 'ui/notifications/sandbox-resource-ready',
  viewRemoved: 'ui/notifications/sandbox-view-removed',
  ping: 'ui/notifications/sandbox-ping',
  pong: 'ui/notifications/sandbox-pong',
  save: 'ui/notifications/sandbox-save',
  saved: 'ui/notifications/sandbox-saved',
  error: 'ui/notifications/sandbox-error',
} as const

/** The methods that the proxy page passes on, though they are not of the view: to the view, and to the host. */
const PASSED = {
  toView: [SANDBOX_METHODS.save, SANDBOX_METHODS.ping],
  toHost: [SANDBOX_METHODS.saved, SANDBOX_METHODS.pong, SANDBOX_METHODS.error],
}

/** Checks the options. @throws TypeError. Returns the origins in their normal form. */
export function checkSandboxOptions(where: string, options: SandboxOptions): readonly string[] {
  checkOptions(where, options, { names: NAMES, required: { hosts: 'Pass the origins of the pages that show views' } })
  return options.hosts.map((host) => {
    const url = parseUrl(host)
    if (
      url &&
      (url.protocol === 'https:' || url.protocol === 'http:') &&
      url.pathname === '/' &&
      !url.search &&
      !url.hash &&
      !url.username
    )
      return url.origin
    throw new TypeError(`${where}: hosts contains ${JSON.stringify(host)}, which is no origin such as https://chat.example.com`)
  })
}

/**
 * The script of the proxy page. A view without an origin of its own is in a frame that inherits the policy of the proxy page. Otherwise the frame loads a
 * page of another origin under the policy of the view, which becomes the view, once. What the view sends reaches only the host that the page was made for.
 */
const SCRIPT = `(() => {
  const root = document.documentElement
  const query = new URLSearchParams(location.search)
  const host = query.get('${SandboxParam.host}')
  const own = '${OWN}'
  const passed = ${JSON.stringify(PASSED)}
  const refuse = (reason) => { root.textContent = reason }
  if (window.parent === window) return refuse('This page shows views of MCP Apps. It works only in the frame of a host.')
  const ancestor = location.ancestorOrigins ? location.ancestorOrigins[0] : host
  if (!JSON.parse(root.dataset.hosts).includes(host) || ancestor !== host) return refuse('This host may not show views here: ' + ancestor)
  if (root.dataset.csp !== 'header') {
    const meta = document.createElement('meta')
    meta.httpEquiv = 'Content-Security-Policy'
    meta.content = query.get('${SandboxParam.policy}') || "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'"
    document.head.prepend(meta)
  }
  const view = root.dataset.csp === 'header' ? query.get('${SandboxParam.view}') : null
  let frame
  let origin
  let onViewReady = () => {}
  const tellHost = (method) => window.parent.postMessage({ jsonrpc: '2.0', method, params: {} }, host)
  const tellView = (data) => frame.contentWindow.postMessage(data, origin === 'null' ? '*' : origin)
  const isOwn = (data) => data !== null && typeof data === 'object' && typeof data.method === 'string' && data.method.startsWith(own)
  const show = ({ html, sandbox = 'allow-scripts', permissions = {} }) => {
    if (frame) {
      frame.remove()
      tellHost('${SANDBOX_METHODS.viewRemoved}')
    }
    frame = document.createElement('iframe')
    origin = view ? new URL(view).origin : 'null'
    frame.setAttribute('sandbox', view ? sandbox : sandbox.split(' ').filter((token) => token !== 'allow-same-origin').join(' '))
    const names = { camera: 'camera', microphone: 'microphone', geolocation: 'geolocation', clipboardWrite: 'clipboard-write' }
    const allow = Object.keys(permissions).filter((name) => names[name]).map((name) => names[name] + ' *')
    if (allow.length) frame.setAttribute('allow', allow.join('; '))
    frame.title = document.title
    if (view) {
      onViewReady = () => {
        onViewReady = () => {}
        frame.contentWindow.postMessage({ jsonrpc: '2.0', method: own + 'view', params: { html } }, origin)
      }
      frame.src = view
    } else frame.srcdoc = html
    document.body.append(frame)
  }
  addEventListener('message', ({ source, origin: sender, data }) => {
    if (source === window.parent) {
      if (sender !== host) return
      if (isOwn(data) && data.method === '${SANDBOX_METHODS.resourceReady}') return show(data.params)
      if (frame && (!isOwn(data) || passed.toView.includes(data.method))) tellView(data)
    } else if (frame && source === frame.contentWindow && sender === origin) {
      if (!isOwn(data) || passed.toHost.includes(data.method)) window.parent.postMessage(data, host)
      else if (data.method === own + 'view-ready') onViewReady()
    }
  })
  tellHost('${SANDBOX_METHODS.proxyReady}')
})()`

/** The script of the page that becomes a view: it gets the page of the view from the proxy page. */
const VIEW_SCRIPT = `(() => {
  const proxy = new URLSearchParams(location.search).get('${SandboxParam.proxy}')
  addEventListener('message', ({ source, origin, data }) => {
    if (source !== window.parent || origin !== proxy || data === null || typeof data !== 'object' || data.method !== '${OWN}view') return
    document.open()
    document.write(data.params.html)
    document.close()
  })
  addEventListener('load', () => window.parent.postMessage({ jsonrpc: '2.0', method: '${OWN}view-ready', params: {} }, proxy))
})()`

/** The page that becomes a view with an origin of its own. */
export const VIEW_PAGE: string = `<!doctype html><meta charset="utf-8"><title>View</title><script>${VIEW_SCRIPT}</script>`

/** The color scheme of the proxy page is that of its frame, so that the view has it too, and its background stays clear. */
const STYLE =
  ':root{color-scheme:light dark}html,body,iframe{display:block;width:100%;height:100%;margin:0;border:0;background:transparent}body{overflow:hidden}'

/**
 * Returns the proxy page as HTML, to serve it as a file. It enforces the policy of the view itself. Prefer `sandboxHandler`, which also sends it as a header,
 * and keeps other pages from framing this one.
 *
 * @throws TypeError if an option is invalid.
 */
export function sandboxPage(options: SandboxOptions): string {
  return renderSandboxPage(checkSandboxOptions('sandboxPage()', options), 'meta')
}

/** Returns the page. `csp` says who enforces the policy: a header, or the page. */
export function renderSandboxPage(hosts: readonly string[], csp: 'header' | 'meta'): string {
  const list = JSON.stringify(hosts).replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
  return `<!doctype html><html lang="en" data-csp="${csp}" data-hosts="${list}"><head><meta charset="utf-8"><title>View</title><style>${STYLE}</style></head><body><script>${SCRIPT}</script></body></html>`
}
