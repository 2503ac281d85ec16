import type { JsonObject } from '../jsonrpc/message.ts'
import type { Implementation } from '../protocol/types.ts'
import type { CallContext } from './call.ts'
import type { Handler } from './dispatch.ts'
import { emitError, type OnEvent } from './events.ts'
import type { Capabilities } from './features/capabilities.ts'
import type { Registries } from './features/registries.ts'
import type { ViewHost } from './tool-view.ts'

/** The parts of a server that its views use. */
export interface ViewHostParts {
  readonly info: Implementation
  readonly handlers: Map<string, Handler>
  readonly registries: Registries
  readonly capabilities: Capabilities
  readonly toolAccess: ViewHost['toolAccess']
  readonly onEvent: OnEvent
}

/** Creates what a server offers to the views of its tools. */
export function createViewHost({ info, handlers, registries, capabilities, toolAccess, onEvent }: ViewHostParts): ViewHost {
  const { items } = registries.tools
  return {
    info,
    toolAccess,
    declareResources: () => capabilities.declare('resources'),
    wrapHandler(method, wrap) {
      const handler = handlers.get(method)
      if (handler) handlers.set(method, (call: CallContext) => wrap(call, async () => (await handler(call)) as JsonObject))
    },
    httpOf: (call) => (call as CallContext).context.http,
    hasView: (name) => registries.tools.definitionOf(name)?.view !== undefined,
    refresh(name) {
      if (items.has(name)) items.update(name, {})
    },
    reportWarning: (message) => onEvent({ type: 'warning', message }),
    reportError: (error) => emitError(onEvent, error, { method: 'view' }),
  }
}
