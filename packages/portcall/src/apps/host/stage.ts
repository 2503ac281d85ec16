/** The frame of a view, and what the page shows in its place if there is none. */
import { errorMessage } from '../../../../util/src/errors.ts'
import { isObject, type Message } from '../../jsonrpc/message.ts'
import type { ViewCsp } from '../../protocol/apps.ts'
import type { HostContext } from '../view/types.ts'
import type { HostBridge } from './bridge.ts'
import { appHostOf } from './bridge-options.ts'
import { HostError } from './errors.ts'
import { allowAttribute, type PermissionName, PROXY_SANDBOX } from './frame.ts'
import { SANDBOX_METHODS } from './sandbox-page.ts'
import type { SandboxUrl } from './sandbox-url.ts'
import type { ShowAppOptions } from './show-options.ts'
import type { AppEvent } from './types.ts'
import { createErrorReader, withErrorReports } from './view-report.ts'
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
  /** Reacts to size and state of the view. */
  observe(event: AppEvent): void
  /** Gives the frame the color scheme of a theme, which the browser tells the view. */
  adapt(context: HostContext): void
  /** Creates the frame. Resolves when the view is connected. Rejects if it does not connect, or is closed before. */
  load(view: StagedView): Promise<void>
  /** Shows why there is no view. */
  fail(error: unknown): void
  /** Removes all. */
  remove(): void
}

const HANDSHAKE_TIMEOUT_MS = 10_000
/** How long a view may take to connect after an exception. */
const FAILED_TIMEOUT_MS = 2000
/** A frame is at most so high, px: what is higher scrolls within it. */
export const MAX_VIEW_HEIGHT = 10_000

/** Creates the stage of a view. It adds nothing to the page before `load`. */
export function createStage(
  options: ShowAppOptions,
  { emit, reload, closed }: { emit(event: AppEvent): void; reload(): void; readonly closed: AbortSignal },
): Stage {
  const { element, handshakeTimeoutMs = HANDSHAKE_TIMEOUT_MS } = options
  const document = element.ownerDocument
  const window = document.defaultView ?? globalThis
  const maxHeight = (): number => Math.min(appHostOf(options.profile)?.container.maxHeight ?? MAX_VIEW_HEIGHT, MAX_VIEW_HEIGHT)
  let frame: HTMLIFrameElement | undefined
  let origin = ''
  let notice: HTMLElement | undefined
  let receive: ((event: MessageEvent) => void) | undefined
  let onReady: () => void = () => {}
  let abandon: () => void = () => {}
  let patience: Patience | undefined

  const post = (message: unknown): void => frame?.contentWindow?.postMessage(message, origin)
  const note = (error?: unknown): void => {
    notice?.remove()
    notice = undefined
    if (error === undefined) return
    notice = createNotice(document, errorMessage(error), reload)
    element.append(notice)
  }
  const fail = (error: unknown): void => {
    if (frame) frame.style.display = 'none'
    note(error)
    emit({ type: 'error', error })
  }
  const remove = (): void => {
    patience?.end()
    abandon()
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
    adapt({ theme }) {
      if (frame && theme) frame.style.colorScheme = theme
    },
    load: ({ url, page, permissions, sandbox, csp, bridge }) =>
      new Promise((resolve, reject) => {
        let hasProxy = false
        const takeError = createErrorTaker(emit, (exception) => patience?.shorten(exception))
        const giveUp = (exception: string): void => {
          if (closed.aborted || bridge.state === 'ready') return
          const error = hasProxy
            ? notConnected(bridge, { timeoutMs: handshakeTimeoutMs, exception })
            : notLoaded(url, handshakeTimeoutMs)
          fail(error)
          reject(error)
        }
        const sendPage = (): void => {
          // The page of the view is delivered once: to the proxy page that this host has loaded.
          if (hasProxy) return
          hasProxy = true
          const granted = Object.fromEntries(permissions.map((name) => [name, {}]))
          const params = { html: withErrorReports(page.html), sandbox, csp, permissions: granted }
          post({ jsonrpc: '2.0', method: SANDBOX_METHODS.resourceReady, params })
        }
        onReady = resolve
        abandon = () => reject(new DOMException('The view was closed', 'AbortError'))
        closed.addEventListener('abort', () => reject(closed.reason), { once: true })
        origin = url.origin
        const created = createFrame(document, { allow: allowAttribute(permissions), title: page.uri ?? 'View' })
        frame = created
        receive = ({ source, origin: sender, data }) => {
          if (source === null || source !== created.contentWindow || sender !== url.origin) return
          if (isObject(data) && data.method === SANDBOX_METHODS.proxyReady) return sendPage()
          if (isObject(data) && data.method === SANDBOX_METHODS.error) return takeError(data.params)
          bridge.receive(data)
        }
        window.addEventListener('message', receive)
        patience = createPatience(handshakeTimeoutMs, giveUp)
        element.append(created)
        created.src = url.href
      }),
  }
}

/** Creates the function that reports the errors of a view. */
function createErrorTaker(emit: (event: AppEvent) => void, onException: (text: string) => void): (params: unknown) => void {
  const read = createErrorReader()
  return (params) => {
    const error = read(params)
    if (!error) return
    emit({ type: 'view-error', ...error })
    if (error.level === 'exception') onException(error.text)
  }
}

/** The time that a view has to connect. */
interface Patience {
  /** Waits only a moment longer: the view has failed, but may connect yet. */
  shorten(exception: string): void
  end(): void
}

function createPatience(timeoutMs: number, onEnd: (exception: string) => void): Patience {
  let first = ''
  let timer = setTimeout(() => onEnd(first), timeoutMs)
  return {
    shorten(exception) {
      if (first !== '') return
      first = exception
      clearTimeout(timer)
      timer = setTimeout(() => onEnd(first), Math.min(FAILED_TIMEOUT_MS, timeoutMs))
    },
    end: () => clearTimeout(timer),
  }
}

/** Creates the text that says why there is no view, with a button that loads it again. */
function createNotice(document: Document, text: string, reload: () => void): HTMLElement {
  const [notice, reason, button] = [document.createElement('div'), document.createElement('p'), document.createElement('button')]
  reason.setAttribute('role', 'alert')
  reason.textContent = text
  button.type = 'button'
  button.textContent = 'Load the view again'
  button.addEventListener('click', reload)
  notice.append(reason, button)
  return notice
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

function notConnected(
  { state }: HostBridge,
  { timeoutMs, exception }: { readonly timeoutMs: number; readonly exception: string },
): HostError {
  const missing = state === 'waiting' ? 'ui/initialize' : 'ui/notifications/initialized'
  const reason =
    exception === ''
      ? `within ${timeoutMs} ms. Look for errors in the console of its frame`
      : `because one of its scripts failed: ${exception}`
  return new HostError('VIEW_NOT_CONNECTED', `The view did not send ${missing} ${reason}`)
}
