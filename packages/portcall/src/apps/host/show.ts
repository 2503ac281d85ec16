/** Shows a view in a page. */
import { checkOptions } from '../../../../util/src/check-options.ts'
import { errorMessage } from '../../../../util/src/errors.ts'
import type { Tool } from '../../protocol/types.ts'
import { createHostBridge, type HostBridge } from './bridge.ts'
import { appHostOf, type HostBridgeOptions } from './bridge-options.ts'
import { buildViewPolicy } from './csp.ts'
import { HostError } from './errors.ts'
import { permissionsOf, SANDBOX_TOKENS, viewSandbox } from './frame.ts'
import { originName, sandboxUrl } from './sandbox-url.ts'
import { REQUIRED_TO_SHOW, SHOW_OPTIONS, type ShowAppOptions } from './show-options.ts'
import { createStage, type StagedView } from './stage.ts'
import { watchSurroundings } from './surroundings.ts'
import type { AppClient, AppUpdate } from './types.ts'
import { readView } from './view-source.ts'
import type { SavedState } from './view-state.ts'

/** A view that is shown. */
export interface ShownApp {
  /** Resolves when the view is connected. Rejects with a `HostError` if it cannot be shown; the element then says why. Rejects with an `AbortError` if it is closed before. */
  readonly ready: Promise<void>
  /** The frame with the proxy page. Absent until the view is read. */
  readonly frame: HTMLIFrameElement | undefined
  /** The messages with the view. Absent until the view is read. */
  readonly bridge: HostBridge | undefined
  /** Tells the view what is new: arguments, result, context. */
  update(update: AppUpdate): void
  /**
   * Loads the view again, and tells it all that it was told. `ready` is a new promise then. With `tool`, as the server lists it now, the view is the one
   * that it names.
   */
  reload(change?: {
    /** The tool as the server lists it now: its view may have another URI. */
    readonly tool?: Tool
  }): void
  /** Tells the view, waits for it up to a second, and removes the frame. */
  close(): Promise<void>
}

const shown = new WeakMap<HTMLElement, ShownApp>()

/**
 * Shows the view of a tool in a page: in a frame within the frame of the proxy page, under the policy that it declares.
 *
 * @throws HostError `SANDBOX_SAME_ORIGIN`; TypeError if an option is invalid.
 */
export function showApp(options: ShowAppOptions): ShownApp {
  checkShowOptions(options)
  const { element, keepState = false } = options
  void shown.get(element)?.close()
  const stop = new AbortController()
  const parts: ShownParts = { news: {}, tool: options.tool }
  const stage = createStage(options, {
    emit: (event) => options.onEvent?.(event),
    reload: () => app.reload(),
    closed: stop.signal,
  })
  let closing: Promise<void> | undefined
  const app: ShownApp = {
    get ready() {
      return ready
    },
    get frame() {
      return stage.frame
    },
    get bridge() {
      return parts.bridge
    },
    update(update) {
      parts.news = addNews(parts.news, update)
      parts.bridge?.update(update)
      if (update.context) stage.adapt(update.context)
    },
    reload({ tool } = {}) {
      if (closing) return
      if (tool) parts.tool = tool
      if (!keepState) clear()
      ready = start()
    },
    close: () => (closing ??= close()),
  }
  const endBridge = (): Promise<void> | undefined => {
    parts.stopWatching?.()
    delete parts.stopWatching
    return parts.bridge?.close()
  }
  const clear = (): void => {
    void endBridge()
    delete parts.bridge
    stage.remove()
  }
  const close = async (): Promise<void> => {
    stop.abort()
    await endBridge()
    stage.remove()
    if (shown.get(element) === app) shown.delete(element)
  }
  shown.set(element, app)

  let round = 0
  const load = async (): Promise<void> => {
    const own = ++round
    const view = await prepare({ ...options, tool: parts.tool }, stop.signal)
    if (parts.bridge?.state === 'ready') parts.saved = (await stage.save()) ?? parts.saved
    stop.signal.throwIfAborted()
    if (own !== round) throw new DOMException('The view was loaded again', 'AbortError')
    const { page, policy, permissions, url } = view
    if (stage.canShow(view)) void endBridge()
    else clear()
    options.onEvent?.({ type: 'csp', policy: policy.policy, dropped: policy.dropped })
    const surroundings = watchSurroundings(element, appHostOf(options.profile), (context) => app.update({ context }))
    parts.stopWatching = surroundings.stop
    const bridge: HostBridge = createHostBridge({
      ...bridgeOptions(options, view),
      context: { ...surroundings.context, ...options.context },
      // An earlier bridge may still cancel a request when another view is in the frame.
      post: (message) => void (parts.bridge === bridge && stage.post(message)),
      onCloseRequest: options.onCloseRequest ?? (() => void app.close()),
      onEvent(event) {
        // What an earlier bridge says no longer concerns the frame.
        if (own !== round) return
        stage.observe(event)
        options.onEvent?.(event)
      },
    })
    parts.bridge = bridge
    tellAll(options, bridge, parts.news)
    const sandbox = viewSandbox(options.tokens, url.hasOwnOrigin)
    const connected = stage.load({ url, page, permissions, sandbox, policy, bridge, saved: parts.saved })
    stage.adapt(bridge.context)
    await connected
  }
  const start = (): Promise<void> => {
    const loading = load().catch((error: unknown) => {
      if (!stop.signal.aborted && loading === ready) stage.fail(error)
      throw error
    })
    loading.catch(() => {})
    return loading
  }
  let ready = start()
  return app
}

/** The parts of a shown view that change. */
interface ShownParts {
  bridge?: HostBridge
  stopWatching?: () => void
  news: AppUpdate
  tool: ShowAppOptions['tool']
  saved?: SavedState | undefined
}

/** Adds news to what a view was told: the arguments and the result that came first count. */
const addNews = (known: AppUpdate, { context, ...update }: AppUpdate): AppUpdate => {
  const { input, result } = known
  return { ...known, ...update, ...(input && { input }), ...(result && { result }), context: { ...known.context, ...context } }
}

function checkShowOptions(options: ShowAppOptions): void {
  checkOptions('showApp()', options, { names: SHOW_OPTIONS, required: REQUIRED_TO_SHOW })
  appHostOf(options.profile)
  const unknown = options.tokens?.find((token) => !SANDBOX_TOKENS.includes(token))
  if (unknown !== undefined)
    throw new TypeError(`showApp(): tokens contains ${JSON.stringify(unknown)}, which is not one of ${SANDBOX_TOKENS.join(', ')}`)
  sandboxUrl(options.sandbox, { host: location.origin, policy: '', name: 'x' })
}

/** The options that a bridge has too, and what it knows of its view. */
function bridgeOptions(
  options: ShowAppOptions,
  { page, tool, policy, permissions }: PreparedView,
): Omit<HostBridgeOptions, 'post'> {
  const {
    element,
    sandbox,
    input,
    result,
    view,
    server,
    grant,
    tokens,
    keepState,
    handshakeTimeoutMs,
    responseTimeoutMs,
    ...rest
  } = options
  return {
    ...rest,
    tool,
    ...(page.uri !== undefined && { uri: page.uri }),
    sandbox: { csp: policy.csp, permissions: Object.fromEntries(permissions.map((name) => [name, {}])) },
  }
}

/** A view, before its frame is created. */
interface PreparedView extends Pick<StagedView, 'url' | 'page' | 'permissions' | 'policy'> {
  readonly tool: Tool
}

/** Reads what has to be known before the frame is created. */
async function prepare(options: ShowAppOptions, signal: AbortSignal): Promise<PreparedView> {
  const { client, server } = options
  const profile = appHostOf(options.profile)
  const tool = typeof options.tool === 'string' ? await findTool(client, options.tool) : options.tool
  const page = options.view ?? (await readView(client, tool, signal))
  const policy = buildViewPolicy(page.meta?.csp, profile?.csp)
  const asked = permissionsOf(page.meta?.permissions, profile?.permissions)
  const granted = asked.length > 0 ? ((await options.grant?.(asked)) ?? []) : []
  const permissions = asked.filter((name) => granted.includes(name))
  const name = await originName(server, policy.policy)
  return {
    page,
    tool,
    policy,
    permissions,
    url: sandboxUrl(options.sandbox, { host: location.origin, policy: policy.policy, name }),
  }
}

async function findTool(client: AppClient, name: string): Promise<Tool> {
  const tool = (await client.tools().toArray()).find((one) => one.name === name)
  if (!tool) throw new HostError('VIEW_UNREADABLE', `The server has no tool ${JSON.stringify(name)}`)
  return tool
}

/** Tells a view what its call is about, and what is new since. */
function tellAll(options: ShowAppOptions, bridge: HostBridge, news: AppUpdate): void {
  if (options.input) bridge.update({ input: options.input })
  void deliverResult(options, bridge)
  bridge.update(news)
}

async function deliverResult({ result }: ShowAppOptions, bridge: HostBridge): Promise<void> {
  if (!result) return
  try {
    bridge.update({ result: await result })
  } catch (error) {
    bridge.update({ cancelled: errorMessage(error) })
  }
}
