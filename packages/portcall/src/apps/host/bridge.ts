/** The host's side of a view, without a browser: it checks and answers the messages of the view, and tells it what happens. */
import { checkOptions } from '../../../../util/src/check-options.ts'
import { errorMessage } from '../../../../util/src/errors.ts'
import { isJsonEqual } from '../../../../util/src/json-equal.ts'
import { delay } from '../../../../util/src/timers.ts'
import type { Channel, ChannelInput } from '../../jsonrpc/channel.ts'
import { resultOf } from '../../jsonrpc/errors.ts'
import { classify, failure, isRequestId, type JsonObject, type Message, notification } from '../../jsonrpc/message.ts'
import { createPeer } from '../../jsonrpc/peer.ts'
import type { Tool } from '../../protocol/types.ts'
import type { HostContext } from '../view/types.ts'
import { appHostOf, BRIDGE_OPTIONS, type BridgeState, type HostBridgeOptions } from './bridge-options.ts'
import { offerCapabilities } from './capabilities.ts'
import { createDelivery } from './delivery.ts'
import { createEarlyRequests } from './early-requests.ts'
import { createAdmission, findFault } from './message-limits.ts'
import { shownMethod, type ViewState } from './methods.ts'
import { takeNotifications } from './notifications.ts'
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
  const port = createPort(options.post, emit)
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
  const peer = createPeer(port.channel, {
    exchange: answerRequests({
      ...parts,
      onInitialize: () => delivery.pause(),
      untilReady: (signal) => early.wait(signal),
      changeContext: (change) => changeContext(change),
      notify: (method, params) => notify(method, params),
    }),
    onNotification: takeNotifications({ ...parts, onReady, cancel: (id) => peer.cancel(id) }),
    sendCancellation: (requestId) => notify('notifications/cancelled', { requestId }),
    onError: (error) => emit({ type: 'error', error }),
  })
  const notify = (method: string, params: JsonObject = {}): void => void peer.notify(notification(method, params))
  const request: HostBridge['request'] = async (method, params = {}, source) =>
    resultOf(await peer.request(method, params, source), method)
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
    peer.cancelAll()
    await peer.close()
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
      if (state.name !== 'closed') port.receive(message)
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

/** Connects `post` and `receive` with a peer. Only well-formed messages within the limits pass. */
function createPort(
  post: (message: Message) => void,
  emit: (event: AppEvent) => void,
): { readonly channel: Channel; receive(message: unknown): void } {
  const admit = createAdmission()
  let deliver: (input: ChannelInput) => void = () => {}
  let end: () => void = () => {}
  const send = (message: Message): void => {
    emit({ type: 'message', from: 'host', message })
    try {
      post(message)
    } catch (error) {
      emit({ type: 'error', error })
    }
  }
  const refuse = (
    message: unknown,
    reason: string,
    { code, isAnswered }: { readonly code: number; readonly isAnswered: boolean },
  ): void => {
    const { id, method } = headOf(message)
    const isRequest = isAnswered && id !== undefined
    emit({ type: 'refused', reason, ...(method !== undefined && { method }), ...(isRequest && { code }) })
    if (isRequest) send(failure(id, { code, message: reason }))
  }
  return {
    channel: {
      send: (message) => void [message].flat().forEach(send),
      receive: (onInput, onClose) => {
        ;[deliver, end] = [onInput, onClose]
      },
      close: async () => end(),
    },
    receive(message) {
      const admission = admit()
      if (admission === 'dropped') return
      const limit = admission === 'refused' ? 'the view sends too many messages' : findFault(message)
      if (limit !== undefined) return refuse(message, `Invalid request: ${limit}`, { code: INVALID_REQUEST, isAnswered: true })
      const classified = classify(message)
      if (classified.kind === 'invalid')
        return refuse(message, classified.error.message, { code: classified.error.code, isAnswered: classified.silent !== true })
      emit({ type: 'message', from: 'view', message: classified.message })
      deliver({ value: classified.message })
    },
  }
}

const INVALID_REQUEST = -32600

/** Reads the id and method of a message that may be anything. */
function headOf(message: unknown): { readonly id?: string | number; readonly method?: string } {
  if (typeof message !== 'object' || message === null) return {}
  const { id, method } = message as { id?: unknown; method?: unknown }
  return { ...(isRequestId(id) && { id }), ...(typeof method === 'string' && { method: shownMethod(method) }) }
}
