/** The connection of a view with its host. */
import { APPS_VERSION, type AppToolTypes } from '../../protocol/apps.ts'
import type { App, AppEvents, AppOptions } from './app.ts'
import { appMethods } from './app-methods.ts'
import { type Bridge, openBridge } from './bridge.ts'
import { AppError } from './errors.ts'
import { createEvent, type Kept } from './events.ts'
import { watchSize } from './size.ts'
import { applyHostStyles } from './style.ts'
import type { HostCapabilities, HostContext, Json } from './types.ts'
import { answerView } from './view-tools.ts'

type Events<Tools extends AppToolTypes> = { [Name in keyof AppEvents<Tools>]: Kept<AppEvents<Tools>[Name]> }

/**
 * Connects the page with the host that shows it. Arguments and result of the tool call are kept, so none is lost if the page asks for them later.
 *
 * @throws {AppError} `NOT_IN_HOST` outside a frame; `HANDSHAKE_TIMEOUT` if the host does not answer. The page then shows why.
 */
export async function connectApp<Tools extends AppToolTypes = AppToolTypes>(options: AppOptions): Promise<App<Tools>> {
  const page = globalThis as unknown as Window & typeof globalThis
  if (!page.parent || page.parent === page)
    throw new AppError('NOT_IN_HOST', 'This page is a view: a host of MCP Apps shows it in a frame')
  const events: Events<Tools> = {
    input: createEvent(),
    partialInput: createEvent(),
    result: createEvent(),
    cancelled: createEvent(),
    context: createEvent(),
  }
  const teardowns = new Set<() => unknown>()
  const state = { context: {} as HostContext }
  const bridge = openBridge(page, {
    onNotification: (method, params) => receive<Tools>({ method, params }, events, (change) => changeContext(change)),
    onRequest: (method, params) =>
      method === 'ui/resource-teardown' ? teardown(teardowns) : answerView(options.tools ?? {}, method, params),
  })
  let stopSize: (() => void) | undefined
  const changeContext = (change: HostContext) => {
    state.context = { ...state.context, ...change }
    if (options.autoStyle !== false) applyHostStyles(change, page.document)
    if (options.autoSize !== false) {
      const isInline = (state.context.displayMode ?? 'inline') === 'inline'
      if (isInline) stopSize ??= watchSize(page, (size) => bridge.notify('ui/notifications/size-changed', size))
      else stopSize = void stopSize?.()
    }
    events.context.emit(state.context)
  }

  const answer = await shakeHands(bridge, options).catch((error: unknown) => {
    bridge.close()
    if (error instanceof AppError) page.document.body?.append(error.message)
    throw error
  })
  const { hostInfo, hostCapabilities, hostContext } = answer
  bridge.notify('ui/notifications/initialized')
  changeContext(hostContext ?? {})
  return {
    host: hostInfo ?? { name: '', version: '' },
    capabilities: hostCapabilities ?? {},
    get context() {
      return state.context
    },
    input: events.input.first,
    result: events.result.first,
    on: (event, listener) => events[event].on(listener),
    onTeardown(listener) {
      teardowns.add(listener)
      return () => teardowns.delete(listener)
    },
    ...appMethods<Tools>(bridge, options, { capabilities: hostCapabilities ?? {}, context: () => state.context }),
    close() {
      stopSize?.()
      bridge.close()
    },
  }
}

interface InitializeResult {
  readonly hostInfo?: App['host']
  readonly hostCapabilities?: HostCapabilities
  readonly hostContext?: HostContext
}

async function shakeHands(bridge: Bridge, options: AppOptions): Promise<InitializeResult> {
  const { name, version, tools, displayModes = ['inline'], handshakeTimeoutMs: timeoutMs = 10_000 } = options
  const params = {
    appInfo: { name, version },
    appCapabilities: { availableDisplayModes: displayModes, ...(tools && { tools: {} }) },
    protocolVersion: APPS_VERSION,
  }
  try {
    return ((await bridge.request('ui/initialize', params, { timeoutMs })) ?? {}) as InitializeResult
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'REQUEST_TIMEOUT') throw error
    throw new AppError('HANDSHAKE_TIMEOUT', `The host did not answer ui/initialize within ${timeoutMs} ms`)
  }
}

function receive<Tools extends AppToolTypes>(
  { method, params }: { readonly method: string; readonly params: Json },
  events: Events<Tools>,
  changeContext: (change: HostContext) => void,
): void {
  if (method === 'ui/notifications/tool-input') events.input.emit((params.arguments ?? {}) as AppEvents<Tools>['input'])
  else if (method === 'ui/notifications/tool-input-partial') events.partialInput.emit((params.arguments ?? {}) as Json)
  else if (method === 'ui/notifications/tool-result')
    events.result.emit({ content: [], ...params } as unknown as AppEvents<Tools>['result'])
  else if (method === 'ui/notifications/tool-cancelled') {
    events.result.fail(new AppError('REQUEST_FAILED', `The tool call was cancelled: ${params.reason ?? 'no reason given'}`))
    events.cancelled.emit(params)
  } else if (method === 'ui/notifications/host-context-changed') changeContext(params)
}

async function teardown(listeners: Iterable<() => unknown>): Promise<Json> {
  await Promise.allSettled([...listeners].map(async (listener) => listener()))
  return {}
}
