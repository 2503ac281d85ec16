/** The frame of a view, and what the page shows in its place if there is none. */
import { errorMessage } from '../../../../util/src/errors.ts'
import { isObject, type Message } from '../../jsonrpc/message.ts'
import type { ViewCsp } from '../../protocol/apps.ts'
import type { HostBridge } from './bridge.ts'
import { appHostOf } from './bridge-options.ts'
import { HostError } from './errors.ts'
import { allowAttribute, type PermissionName, PROXY_SANDBOX } from './frame.ts'
import type { SandboxUrl } from './sandbox-url.ts'
import type { ShowAppOptions } from './show-options.ts'
import type { AppEvent } from './types.ts'
import type { AppPage } from './view-source.ts'

/** A view that is ready to be shown. */
export interface StagedView {
  readonly url: SandboxUrl
  readonly page: AppPage
  readonly permissions: readonly PermissionName[]
  readonly sandbox: string
  readonly csp: ViewCsp
  readonly bridge: HostBridge
}

/** The frame and the notice of one view. */
export interface Stage {
  readonly frame: HTMLIFrameElement | undefined
  /** Sends a message to the view. */
  post(message: Message): void
  /** Reacts to size, mode and state of the view. */
  observe(event: AppEvent): void
  /** Creates the frame. Resolves when the view is connected. Rejects if it does not connect, or is closed before. */
  load(view: StagedView): Promise<void>
  /** Shows why there is no view. */
  fail(error: unknown): void
  /** Removes all. */
  remove(): void
}

const PROXY_READY = 'ui/notifications/sandbox-proxy-ready'
const RESOURCE_READY = 'ui/notifications/sandbox-resource-ready'
const HANDSHAKE_TIMEOUT_MS = 10_000

/** Creates the stage of a view. It adds nothing to the page before `load`. */
export function createStage(
  options: ShowAppOptions,
  { onError, closed }: { onError(error: unknown): void; readonly closed: AbortSignal },
): Stage {
  const { element, handshakeTimeoutMs = HANDSHAKE_TIMEOUT_MS } = options
  const document = element.ownerDocument
  const window = document.defaultView ?? globalThis
  const maxHeight = (): number => appHostOf(options.profile)?.container.maxHeight ?? Number.POSITIVE_INFINITY
  let frame: HTMLIFrameElement | undefined
  let origin = ''
  let notice: HTMLElement | undefined
  let receive: ((event: MessageEvent) => void) | undefined
  let onReady: () => void = () => {}
  let timer: ReturnType<typeof setTimeout> | undefined

  const post = (message: unknown): void => frame?.contentWindow?.postMessage(message, origin)
  const note = (error?: unknown): void => {
    notice?.remove()
    notice = undefined
    if (error === undefined) return
    notice = document.createElement('p')
    notice.setAttribute('role', 'alert')
    notice.textContent = errorMessage(error)
    element.append(notice)
  }
  const fail = (error: unknown): void => {
    if (frame) frame.style.display = 'none'
    note(error)
    onError(error)
  }
  const remove = (): void => {
    clearTimeout(timer)
    if (receive) window.removeEventListener('message', receive)
    receive = undefined
    frame?.remove()
    frame = undefined
    note()
  }

  return {
    get frame() {
      return frame
    },
    post,
    fail,
    remove,
    observe(event) {
      if (!frame) return
      if (event.type === 'size' && event.height !== undefined) frame.style.height = `${Math.min(event.height, maxHeight())}px`
      if (event.type === 'state' && event.state === 'ready') {
        frame.style.display = 'block'
        note()
        onReady()
      }
    },
    load: ({ url, page, permissions, sandbox, csp, bridge }) =>
      new Promise((resolve, reject) => {
        let hasProxy = false
        onReady = resolve
        closed.addEventListener('abort', () => reject(closed.reason), { once: true })
        origin = url.origin
        const created = createFrame(document, { allow: allowAttribute(permissions), title: page.uri ?? 'View' })
        frame = created
        receive = ({ source, origin: sender, data }) => {
          if (source === null || source !== created.contentWindow || sender !== url.origin) return
          if (!isObject(data) || data.method !== PROXY_READY) return bridge.receive(data)
          // The page of the view is delivered once: to the proxy page that this host has loaded.
          if (hasProxy) return
          hasProxy = true
          const granted = Object.fromEntries(permissions.map((name) => [name, {}]))
          post({ jsonrpc: '2.0', method: RESOURCE_READY, params: { html: page.html, sandbox, csp, permissions: granted } })
        }
        window.addEventListener('message', receive)
        timer = setTimeout(() => {
          if (closed.aborted || bridge.state === 'ready') return
          const error = hasProxy ? notConnected(bridge, handshakeTimeoutMs) : notLoaded(url, handshakeTimeoutMs)
          fail(error)
          reject(error)
        }, handshakeTimeoutMs)
        element.append(created)
        created.src = url.href
      }),
  }
}

function createFrame(
  document: Document,
  { allow, title }: { readonly allow: string; readonly title: string },
): HTMLIFrameElement {
  const frame = document.createElement('iframe')
  frame.setAttribute('sandbox', PROXY_SANDBOX)
  if (allow !== '') frame.setAttribute('allow', allow)
  frame.title = title
  Object.assign(frame.style, { display: 'block', width: '100%', border: '0', background: 'transparent', colorScheme: 'normal' })
  return frame
}

function notLoaded({ origin }: SandboxUrl, timeoutMs: number): HostError {
  return new HostError(
    'SANDBOX_NOT_LOADED',
    `The proxy page at ${origin} did not answer within ${timeoutMs} ms. Serve sandboxHandler({ hosts: [${JSON.stringify(location.origin)}] }) there`,
  )
}

function notConnected({ state }: HostBridge, timeoutMs: number): HostError {
  const missing = state === 'waiting' ? 'ui/initialize' : 'ui/notifications/initialized'
  return new HostError(
    'VIEW_NOT_CONNECTED',
    `The view did not send ${missing} within ${timeoutMs} ms. Look for errors in the console of its frame`,
  )
}
