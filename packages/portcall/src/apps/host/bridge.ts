/** The host's side of a view, without a browser: it checks and answers the messages of the view, and tells it what happens. */
import { checkOptions } from '../../../../util/src/check-options.ts'
import { errorMessage } from '../../../../util/src/errors.ts'
import { isJsonEqual } from '../../../../util/src/json-equal.ts'
import { delay } from '../../../../util/src/timers.ts'
import { resultOf } from '../../jsonrpc/errors.ts'
import { type JsonObject, notification } from '../../jsonrpc/message.ts'
import type { Tool } from '../../protocol/types.ts'
import type { HostContext } from '../view/types.ts'
import { appHostOf, BRIDGE_OPTIONS, type BridgeState, type HostBridgeOptions } from './bridge-options.ts'
import { offerCapabilities } from './capabilities.ts'
import { createDelivery } from './delivery.ts'
import { createEarlyRequests } from './early-requests.ts'
import type { ViewState } from './methods.ts'
import { takeNotifications } from './notifications.ts'
import { connectPages } from './page-connection.ts'
import type { AppHostProfile } from './profiles.ts'
import { answerRequests } from './requests.ts'
import { createServerCalls } from './server-calls.ts'
import type { AppEvent, AppUpdate, ConnectedApp } from './types.ts'

/** The host's side of one view. */
export interface HostBridge {
  /** The state of the view. */
  readonly state: ViewState
  /** The view, when it has introduced itself. */
  readonly app: ConnectedApp | undefined
  /** The context that the view knows, with all changes. */
  readonly context: HostContext
  /** Takes a message of the view. Never throws: what is wrong is answered with an error, and reported as an event. */
  receive(message: unknown): void
  /** Tells the view what is new. Before the view is ready, it is kept. */
  update(update: AppUpdate): void
  /** Sends a request to the view, such as `tools/list`. @throws RpcError if the view answers with an error. */
  request(method: string, params?: JsonObject, options?: { readonly signal?: AbortSignal }): Promise<JsonObject>
  /** Tells the view that a list of its server has changed: `tools`, `resources` or `prompts`. */
  notifyListChanged(list: 'tools' | 'resources' | 'prompts'): void
  /** Tells the view that it will be removed, waits for its answer, and ends the connection. */
  close(): Promise<void>
}

const DEFAULT_TELLS: AppHostProfile['tells'] = {
  partialInput: true,
  cancelled: true,
  context: true,
  teardown: true,
  toolInfo: true,
}

/** The context of a view at its start, as the profile shows it. */
function startingContext({ context, tool, onDisplayMode }: HostBridgeOptions, profile?: AppHostProfile): HostContext {
  const modes = profile?.displayModes ?? ['inline', 'fullscreen', 'pip']
  const [first = 'inline'] = modes
  return {
    ...(profile && { containerDimensions: profile.container }),
    ...(profile?.variables && { styles: { variables: profile.variables.values } }),
    displayMode: profile ? first : 'inline',
    availableDisplayModes: onDisplayMode ? [...modes] : [profile ? first : 'inline'],
    ...(tool && profile?.tells.toolInfo !== false && { toolInfo: { tool: toolForViews(tool) } }),
    ...context,
  }
}

/** The members of a tool that the extension names. */
function toolForViews({
  name,
  title,
  description,
  icons,
  inputSchema,
  outputSchema,
  annotations,
  _meta,
}: Tool): { name: string } & JsonObject {
  const members = { title, description, icons, outputSchema, annotations, _meta }
  return { name, inputSchema, ...Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) }
}

/**
 * Creates the host's side of a view. Pass the messages of the view to `receive`; `post` gets the answers. Works without a browser, such as in unit tests.
 *
 * @throws TypeError if an option is invalid.
 */
export function createHostBridge(options: HostBridgeOptions): HostBridge {
  checkOptions('createHostBridge()', options, {
    names: BRIDGE_OPTIONS,
    required: { post: 'Pass a function that sends a message to the view' },
  })
  const profile = appHostOf(options.profile)
  const tells = profile?.tells ?? DEFAULT_TELLS
  const capabilities = offerCapabilities(options, profile)
  const emit = createEmitter(options)
  const state: BridgeState = { name: 'waiting', context: startingContext(options, profile), app: undefined }
  const enter = (name: ViewState): void => {
    if (state.name === name || state.name === 'closed') return
    state.name = name
    emit({ type: 'state', state: name })
  }
  const parts = {
    options,
    profile,
    capabilities,
    state,
    enter,
    emit,
    calls: createServerCalls({ client: options.client, view: options.uri, approve: options.approve }),
  }
  const delivery = createDelivery((method, params) => notify(method, params), tells)
  const early = createEarlyRequests()
  const onReady = (): void => {
    delivery.open()
    early.release()
  }
  const page = connectPages(
    { post: options.post, emit, state },
    {
      exchange: answerRequests({
        ...parts,
        onInitialize: () => delivery.pause(),
        untilReady: (signal) => early.wait(signal),
        changeContext: (change) => changeContext(change),
        notify: (method, params) => notify(method, params),
      }),
      onNotification: takeNotifications({ ...parts, onReady, cancel: (id) => page.peer.cancel(id) }),
      sendCancellation: (requestId) => notify('notifications/cancelled', { requestId }),
      onError: (error) => emit({ type: 'error', error }),
    },
  )
  const notify = (method: string, params: JsonObject = {}): void => void page.peer.notify(notification(method, params))
  const request: HostBridge['request'] = async (method, params = {}, source) =>
    resultOf(await page.peer.request(method, params, source), method)
  const changeContext = (context: HostContext): void => {
    const changes = Object.fromEntries(
      Object.entries(context).filter(([name, value]) => !isJsonEqual(state.context[name], value)),
    )
    state.context = { ...state.context, ...changes }
    if (state.name === 'ready' && tells.context && Object.keys(changes).length > 0)
      notify('ui/notifications/host-context-changed', changes)
  }
  let closing: Promise<void> | undefined

  const tearDown = async (): Promise<void> => {
    if (state.name === 'ready' && tells.teardown) {
      enter('closing')
      const timeout = new AbortController()
      const patience = delay(options.teardownTimeoutMs ?? 1000, timeout.signal).then(
        () => timeout.abort(),
        () => {},
      )
      await request('ui/resource-teardown', {}, timeout).catch(() => {})
      timeout.abort()
      await patience
    }
    enter('closed')
    page.peer.cancelAll()
    await page.peer.close()
  }
  return {
    get state() {
      return state.name
    },
    get app() {
      return state.app
    },
    get context() {
      return state.context
    },
    receive(message) {
      if (state.name !== 'closed') page.receive(message)
    },
    update({ context, ...update }) {
      delivery.take(update)
      if (context) changeContext(context)
    },
    request,
    notifyListChanged(list) {
      if (state.name === 'ready') notify(`notifications/${list}/list_changed`)
    },
    close: () => (closing ??= tearDown()),
  }
}

/** Creates the function that reports events. Exceptions of the receiver are not passed to views. */
function createEmitter({ onEvent }: HostBridgeOptions): (event: AppEvent) => void {
  return (event) => {
    try {
      onEvent?.(event)
    } catch (error) {
      console.error(`onEvent: ${errorMessage(error)}`)
    }
  }
}
