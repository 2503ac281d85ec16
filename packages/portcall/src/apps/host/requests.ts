/** The answers to the requests of views. */
import { parseUrl } from '../../../../util/src/parse-url.ts'
import { ErrorCode, RpcError } from '../../jsonrpc/errors.ts'
import type { Exchange } from '../../jsonrpc/exchange.ts'
import { isObject, type JsonObject, success } from '../../jsonrpc/message.ts'
import { APPS_VERSION } from '../../protocol/apps.ts'
import type { Implementation } from '../../protocol/types.ts'
import type { DisplayMode, HostContext } from '../view/types.ts'
import type { BridgeState, HostBridgeOptions } from './bridge-options.ts'
import { foreignContent, type OfferedCapabilities } from './capabilities.ts'
import { readFiles } from './downloads.ts'
import { type MethodRule, ruleOf, shownMethod, type ViewRequestMethod, type ViewState } from './methods.ts'
import type { AppHostProfile } from './profiles.ts'
import type { ServerCallContext, ServerCalls } from './server-calls.ts'
import type { AppEvent } from './types.ts'

/** The parts of a bridge that its answers need. */
export interface BridgeParts {
  readonly options: HostBridgeOptions
  readonly profile: AppHostProfile | undefined
  readonly capabilities: OfferedCapabilities
  readonly state: BridgeState
  readonly enter: (state: ViewState) => void
  readonly emit: (event: AppEvent) => void
  readonly calls: ServerCalls
}

interface RequestParts extends BridgeParts {
  readonly onInitialize: () => void
  /** Resolves when the view is ready, when the request is cancelled, or when the view has not become ready in time. */
  readonly untilReady: (signal: AbortSignal) => Promise<void>
  readonly changeContext: (change: HostContext) => void
  readonly notify: (method: string, params: JsonObject) => void
}

type Answer = (params: JsonObject, context: ServerCallContext) => JsonObject | Promise<JsonObject>

const DEFAULT_STATES: readonly ViewState[] = ['ready', 'closing']
const statesOf = ({ states = DEFAULT_STATES }: MethodRule): readonly ViewState[] => states
const INFO: Implementation = { name: 'portcall', version: '0' }

/** Reports why a message may not be sent now, or `undefined` if it may. */
export function findRefusal(rule: MethodRule, method: string, { state, capabilities }: BridgeParts): RpcError | undefined {
  const { capability } = rule
  if (!statesOf(rule).includes(state.name))
    return new RpcError(ErrorCode.invalidRequest, `Invalid request: ${method} is not allowed ${DURING[state.name]}`)
  if (capability !== undefined && capabilities.all[capability] === undefined)
    return new RpcError(ErrorCode.methodNotFound, `${method}: this host does not offer ${capability}`)
  return undefined
}

const DURING: { readonly [state in ViewState]: string } = {
  waiting: 'before ui/initialize',
  initializing: 'before ui/notifications/initialized',
  ready: 'after ui/notifications/initialized',
  closing: 'while the view is being removed',
  closed: 'after the view was removed',
}

/** Creates the Exchange that answers a view. Each request is checked against the table first. */
export function answerRequests(parts: RequestParts): Exchange {
  const answers = createAnswers(parts)
  const refuse = (method: string, error: RpcError): RpcError => {
    parts.emit({ type: 'refused', reason: error.message, method: shownMethod(method), code: error.code })
    return error
  }
  const answer = async (method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> => {
    const rule = ruleOf(method, 'request')
    if (!rule) throw refuse(method, new RpcError(ErrorCode.methodNotFound, `Unknown method: ${shownMethod(method)}`))
    if (parts.state.name === 'initializing' && !statesOf(rule).includes('initializing')) await parts.untilReady(signal)
    if (signal.aborted) return {}
    const refusal = findRefusal(rule, method, parts)
    if (refusal) throw refuse(method, refusal)
    const problem = rule.params(params, 'params')
    if (problem) throw refuse(method, new RpcError(ErrorCode.invalidParams, `Invalid params: ${problem}`))
    try {
      return await answers[method as ViewRequestMethod](params, { signal, notify: parts.notify })
    } catch (error) {
      throw error instanceof RpcError ? refuse(method, error) : error
    }
  }
  return async ({ id, method, params = {} }, context) => {
    try {
      return success(id, await answer(method, params, context.signal))
    } catch (error) {
      if (error instanceof RpcError) return error.response(id)
      throw error
    }
  }
}

function createAnswers(parts: RequestParts): { readonly [method in ViewRequestMethod]: Answer } {
  const { options, capabilities, state, enter, calls, profile } = parts
  const passOn =
    (method: string): Answer =>
    (params, context) =>
      calls.request(method, params, context)
  const context = (capability: 'message' | 'updateModelContext', content: readonly JsonObject[]): readonly JsonObject[] => {
    const foreign = foreignContent(capabilities.all[capability], content)
    if (foreign !== undefined) throw new RpcError(ErrorCode.invalidParams, `Invalid params: this host takes no ${foreign} there`)
    return content
  }
  return {
    ping: () => ({}),
    'ui/initialize'(params) {
      const { appInfo, appCapabilities } = params as { appInfo: Implementation; appCapabilities: JsonObject }
      parts.onInitialize()
      state.app = { info: appInfo, capabilities: appCapabilities }
      enter('initializing')
      const { sandbox, info = profile?.hostInfo ?? INFO } = options
      return {
        protocolVersion: APPS_VERSION,
        hostInfo: { ...info },
        hostCapabilities: { ...capabilities.declared, ...(sandbox && { sandbox }) },
        hostContext: state.context,
      }
    },
    async 'ui/open-link'({ url }) {
      const address = webAddress(String(url))
      return outcome(await options.onOpenLink?.(address))
    },
    async 'ui/download-file'({ contents }) {
      return outcome(await options.onDownload?.(filesOf(contents as unknown[])))
    },
    async 'ui/message'({ content }) {
      const blocks = context('message', [content].flat() as JsonObject[])
      return outcome(await options.onMessage?.({ content: blocks }))
    },
    async 'ui/update-model-context'({ content, structuredContent }) {
      const kinds = isObject(structuredContent) ? [{ type: 'structuredContent' }] : []
      const blocks = (content ?? []) as JsonObject[]
      context('updateModelContext', [...blocks, ...kinds])
      const update = { content: blocks, ...(isObject(structuredContent) && { structuredContent }) }
      if ((await options.onModelContext?.(update)) === false)
        throw new RpcError(ErrorCode.invalidRequest, 'The host or the user refused')
      return {}
    },
    'ui/request-display-mode': async ({ mode }) => ({ mode: await changeMode(mode as DisplayMode, parts) }),
    'tools/call': (params, callContext) => calls.callTool(params, callContext),
    'resources/read': passOn('resources/read'),
    'resources/list': passOn('resources/list'),
    'resources/templates/list': passOn('resources/templates/list'),
    'prompts/list': passOn('prompts/list'),
    'sampling/createMessage': async (params, { signal }) => (await options.onSample?.(params, signal)) ?? {},
  }
}

const outcome = (returned: unknown): JsonObject => (returned === false ? { isError: true } : {})

/** Returns an address in its normal form. @throws RpcError unless it is one of the web. */
function webAddress(text: string): string {
  const url = parseUrl(text)
  if (url && (url.protocol === 'https:' || url.protocol === 'http:')) return url.href
  throw new RpcError(ErrorCode.invalidParams, 'Invalid params: only http and https addresses can be opened')
}

function filesOf(contents: unknown[]): ReturnType<typeof readFiles> {
  try {
    return readFiles(contents)
  } catch {
    throw new RpcError(ErrorCode.invalidParams, 'Invalid params: a blob is not base64')
  }
}

/** Changes the mode if host and view both have it. Returns the mode that the view has now. */
async function changeMode(mode: DisplayMode, { options, state, changeContext }: RequestParts): Promise<DisplayMode> {
  const current = state.context.displayMode ?? 'inline'
  const declared = state.app?.capabilities.availableDisplayModes
  const isPossible = state.context.availableDisplayModes?.includes(mode) && (!Array.isArray(declared) || declared.includes(mode))
  if (mode === current || !isPossible || !options.onDisplayMode) return current
  const displayMode = await options.onDisplayMode(mode)
  changeContext({ displayMode })
  return displayMode
}
