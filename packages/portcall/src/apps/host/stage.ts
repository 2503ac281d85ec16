/** The frame of a view, and what the page shows in its place if there is none. */
import { errorMessage } from '../../../../util/src/errors.ts'
import { isObject, type JsonObject, type Message } from '../../jsonrpc/message.ts'
import type { HostContext } from '../view/types.ts'
import type { HostBridge } from './bridge.ts'
import { appHostOf } from './bridge-options.ts'
import type { ViewPolicy } from './csp.ts'
import { HostError } from './errors.ts'
import { allowAttribute, type PermissionName, PROXY_SANDBOX } from './frame.ts'
import { createReactionWatch, type ReactionWatch } from './reaction-watch.ts'
import { SANDBOX_METHODS } from './sandbox-page.ts'
import type { SandboxUrl } from './sandbox-url.ts'
import type { ShowAppOptions } from './show-options.ts'
import type { AppEvent } from './types.ts'
import { createErrorReader, REPORT_SCRIPT, withScripts } from './view-report.ts'
import type { AppPage } from './view-source.ts'
import { readSavedState, type SavedState, stateScript } from './view-state.ts'

/** A view that is ready to be shown. */
export interface StagedView {
  readonly url: SandboxUrl
  readonly page: AppPage
  readonly permissions: readonly PermissionName[]
  readonly sandbox: string
  readonly policy: ViewPolicy
  readonly bridge: HostBridge
  /** The state that an earlier version of the page has saved. */
  readonly saved?: SavedState | undefined
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
  /** Reports whether `load` can replace the view in the frame: a proxy page has one policy, and its frame the features that it was created with. */
  canShow(view: Pick<StagedView, 'policy' | 'permissions'>): boolean
  /** Creates the frame, or replaces the view in it. Resolves when the view is connected. Rejects if it does not connect, or is closed before. */
  load(view: StagedView): Promise<void>
  /** Asks the view for its state. Resolves to `undefined` if it does not answer soon. */
  save(): Promise<SavedState | undefined>
  /** Shows why there is no view. */
  fail(error: unknown): void
  /** Removes all. */
  remove(): void
}

const HANDSHAKE_TIMEOUT_MS = 10_000
/** How long a view may take to connect after an exception. */
const FAILED_TIMEOUT_MS = 2000
/** How long a view may not react. */
const RESPONSE_TIMEOUT_MS = 15_000
/** How long a view may take to save its state. */
const SAVE_TIMEOUT_MS = 200
/** A frame is at most so high, px: what is higher scrolls within it. */
export const MAX_VIEW_HEIGHT = 10_000

/** Creates the stage of a view. It adds nothing to the page before `load`. */
export function createStage(
  options: ShowAppOptions,
  { emit, reload, closed }: { emit(event: AppEvent): void; reload(): void; readonly closed: AbortSignal },
): Stage {
  const { element, keepState = false, handshakeTimeoutMs = HANDSHAKE_TIMEOUT_MS } = options
  let frame: HTMLIFrameElement | undefined
  let [origin, setting, hasProxy] = ['', '', false]
  let stopListening: (() => void) | undefined
  let onReady: () => void = () => {}
  let abandon: () => void = () => {}
  let patience: Patience | undefined

  const post = (message: unknown): void => frame?.contentWindow?.postMessage(message, origin)
  const saver = createSaver(post)
  const note = createNoticeBoard(element, reload)
  const fail = (error: unknown): void => {
    if (frame) frame.style.display = 'none'
    note(error)
    emit({ type: 'error', error })
  }
  const showFrame = (): void => {
    if (frame) frame.style.display = 'block'
    note()
  }
  const watch = createStageWatch(options, { post, onSilence: fail, onReturn: showFrame })
  const disconnect = (): void => {
    patience?.end()
    watch.end()
    abandon()
    stopListening?.()
    stopListening = undefined
  }
  const remove = (): void => {
    disconnect()
    frame?.remove()
    frame = undefined
    hasProxy = false
    note()
  }

  return {
    get frame() {
      return frame
    },
    canShow: (view) => hasProxy && setting === settingOf(view),
    post,
    fail,
    remove,
    save: saver.save,
    observe(event) {
      if (frame && event.type === 'size') resize(frame, event.height, options)
      if (!frame || event.type !== 'state' || event.state !== 'ready') return
      showFrame()
      onReady()
      watch.start()
    },
    adapt({ theme }) {
      if (frame && theme) frame.style.colorScheme = theme
    },
    load: (view) =>
      new Promise((resolve, reject) => {
        const { url, bridge } = view
        disconnect()
        note()
        const takeError = createErrorTaker(emit, (exception) => patience?.shorten(exception))
        const giveUp = (exception: string): void => {
          if (closed.aborted || bridge.state === 'ready') return
          const error = notShown(view, { hasProxy, timeoutMs: handshakeTimeoutMs, exception })
          fail(error)
          reject(error)
        }
        onReady = resolve
        abandon = () => reject(new DOMException('The view was closed', 'AbortError'))
        closed.addEventListener('abort', () => reject(closed.reason), { once: true })
        origin = url.origin
        const used = frame ?? createFrame(element.ownerDocument, allowAttribute(view.permissions))
        used.title = view.page.uri ?? 'View'
        const sendPage = (): void => post(resourceReady(view, keepState))
        const onProxyReady = (): void => {
          // The page of the view is delivered once: to the proxy page that this host has loaded.
          if (hasProxy) return
          hasProxy = true
          setting = settingOf(view)
          sendPage()
        }
        const listeners = { onProxyReady, onSaved: saver.take, onError: takeError, onPong: watch.beat }
        stopListening = listenTo(used, { origin, bridge, isReplaced: hasProxy, ...listeners })
        patience = createPatience(handshakeTimeoutMs, giveUp)
        if (frame) return sendPage()
        frame = used
        element.append(used)
        used.src = url.href
      }),
  }
}

/** Gives a frame the height that its view reports, as far as the host allows it. */
function resize(frame: HTMLIFrameElement, height: number | undefined, { profile }: ShowAppOptions): void {
  const most = Math.min(appHostOf(profile)?.container.maxHeight ?? MAX_VIEW_HEIGHT, MAX_VIEW_HEIGHT)
  if (height !== undefined) frame.style.height = `${Math.min(height, most)}px`
}

interface StageWatch {
  post(message: unknown): void
  onSilence(error: unknown): void
  onReturn(): void
}

function createStageWatch(options: ShowAppOptions, { post, onSilence, onReturn }: StageWatch): ReactionWatch {
  const { responseTimeoutMs = RESPONSE_TIMEOUT_MS } = options
  return createReactionWatch(responseTimeoutMs, {
    ask: () => post({ jsonrpc: '2.0', method: SANDBOX_METHODS.ping, params: {} }),
    onSilence: () => onSilence(notResponding(responseTimeoutMs)),
    onReturn,
  })
}

/** Describes what a proxy page and its frame are created for. */
const settingOf = ({ policy, permissions }: Pick<StagedView, 'policy' | 'permissions'>): string =>
  JSON.stringify([policy.policy, permissions])

interface FrameListeners {
  readonly origin: string
  readonly bridge: HostBridge
  /** True if a view is in the frame: it may still send until it is removed. */
  readonly isReplaced: boolean
  onProxyReady(): void
  onSaved(params: unknown): void
  onPong(): void
  onError(params: unknown): void
}

/** Listens to the proxy page in a frame, and to the view in it. Returns a function that stops. */
function listenTo(frame: HTMLIFrameElement, listeners: FrameListeners): () => void {
  const window = frame.ownerDocument.defaultView ?? globalThis
  let isStale = listeners.isReplaced
  const own: { readonly [method: string]: (params: unknown) => void } = {
    [SANDBOX_METHODS.proxyReady]: () => listeners.onProxyReady(),
    [SANDBOX_METHODS.viewRemoved]() {
      isStale = false
    },
    [SANDBOX_METHODS.pong]: () => listeners.onPong(),
    [SANDBOX_METHODS.saved]: (params) => listeners.onSaved(params),
    [SANDBOX_METHODS.error](params) {
      if (!isStale) listeners.onError(params)
    },
  }
  const receive = ({ source, origin, data }: MessageEvent): void => {
    if (source === null || source !== frame.contentWindow || origin !== listeners.origin) return
    const { method, params } = (isObject(data) ? data : {}) as { method?: unknown; params?: unknown }
    const take = typeof method === 'string' && Object.hasOwn(own, method) ? own[method] : undefined
    if (take) take(params)
    else if (!isStale) listeners.bridge.receive(data)
  }
  window.addEventListener('message', receive)
  return () => window.removeEventListener('message', receive)
}

/** Returns the message with the page of a view, for the proxy page. */
function resourceReady({ page, permissions, sandbox, policy, saved }: StagedView, keepState: boolean): JsonObject {
  const granted = Object.fromEntries(permissions.map((name) => [name, {}]))
  const scripts = [REPORT_SCRIPT, ...(keepState ? [stateScript(saved)] : [])]
  const params = { html: withScripts(page.html, scripts), sandbox, csp: policy.csp, permissions: granted }
  return { jsonrpc: '2.0', method: SANDBOX_METHODS.resourceReady, params }
}

/** Creates what asks a view for its state. */
function createSaver(post: (message: unknown) => void): {
  readonly save: Stage['save']
  readonly take: (params: unknown) => void
} {
  let take: (params: unknown) => void = () => {}
  const save: Stage['save'] = () =>
    new Promise((resolve) => {
      const timer = setTimeout(() => take(undefined), SAVE_TIMEOUT_MS)
      take = (params) => {
        clearTimeout(timer)
        resolve(readSavedState(params))
      }
      post({ jsonrpc: '2.0', method: SANDBOX_METHODS.save, params: {} })
    })
  return { save, take: (params) => take(params) }
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

/** Creates the function that shows why there is no view, or removes the text about it. */
function createNoticeBoard(element: HTMLElement, reload: () => void): (error?: unknown) => void {
  let notice: HTMLElement | undefined
  return (error) => {
    notice?.remove()
    notice = error === undefined ? undefined : createNotice(element.ownerDocument, errorMessage(error), reload)
    if (notice) element.append(notice)
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

function createFrame(document: Document, allow: string): HTMLIFrameElement {
  const frame = document.createElement('iframe')
  frame.setAttribute('sandbox', PROXY_SANDBOX)
  if (allow !== '') frame.setAttribute('allow', allow)
  Object.assign(frame.style, { display: 'block', width: '100%', border: '0', background: 'transparent', colorScheme: 'normal' })
  return frame
}

/** Returns the reason why a view did not connect in time. */
const notShown = (
  { url, bridge }: StagedView,
  { hasProxy, ...about }: { readonly hasProxy: boolean; readonly timeoutMs: number; readonly exception: string },
): HostError => (hasProxy ? notConnected(bridge, about) : notLoaded(url, about.timeoutMs))

function notLoaded({ origin }: SandboxUrl, timeoutMs: number): HostError {
  return new HostError(
    'SANDBOX_NOT_LOADED',
    `The proxy page at ${origin} did not answer within ${timeoutMs} ms. Serve sandboxHandler({ hosts: [${JSON.stringify(location.origin)}] }) there`,
  )
}

const notResponding = (timeoutMs: number): HostError =>
  new HostError(
    'VIEW_NOT_RESPONDING',
    `The view has not reacted for ${timeoutMs} ms: its process has crashed, or one of its scripts does not end`,
  )

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
