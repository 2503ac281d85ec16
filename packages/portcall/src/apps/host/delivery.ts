/** The order in which a view hears of the tool call: partial arguments, arguments once, result or cancellation once. */
import type { JsonObject } from '../../jsonrpc/message.ts'
import type { CallToolResult } from '../../protocol/types.ts'
import type { AppHostProfile } from './profiles.ts'
import type { AppUpdate } from './types.ts'

/** Tells a view what happens with the tool call. */
export interface Delivery {
  /** Starts to send, with what is known already. Also after the page was loaded again. */
  open(): void
  /** Stops to send. What arrives is kept. */
  pause(): void
  /** Takes what is new. */
  take(update: AppUpdate): void
}

type Send = (method: string, params: JsonObject) => void

/** Creates a delivery. It sends nothing before `open`. */
export function createDelivery(send: Send, tells: Pick<AppHostProfile['tells'], 'partialInput' | 'cancelled'>): Delivery {
  let [isOpen, hasSentInput, hasSentOutcome] = [false, false, false]
  let partialInput: JsonObject | undefined
  let input: JsonObject | undefined
  let outcome: { readonly method: string; readonly params: JsonObject } | undefined

  const flush = (): void => {
    if (!isOpen) return
    if (input === undefined && outcome) input = {}
    if (partialInput && !hasSentInput && input === undefined && tells.partialInput)
      send('ui/notifications/tool-input-partial', { arguments: partialInput })
    partialInput = undefined
    if (input !== undefined && !hasSentInput) {
      hasSentInput = true
      send('ui/notifications/tool-input', { arguments: input })
    }
    if (outcome && !hasSentOutcome) {
      hasSentOutcome = true
      send(outcome.method, outcome.params)
    }
  }
  return {
    open() {
      ;[isOpen, hasSentInput, hasSentOutcome] = [true, false, false]
      flush()
    },
    pause() {
      isOpen = false
    },
    take(update) {
      partialInput = update.partialInput ?? partialInput
      input ??= update.input
      if (update.result) outcome ??= { method: 'ui/notifications/tool-result', params: resultParams(update.result) }
      else if (update.cancelled !== undefined && tells.cancelled)
        outcome ??= { method: 'ui/notifications/tool-cancelled', params: { reason: update.cancelled } }
      flush()
    },
  }
}

/** The members of a result that the extension names. */
function resultParams({ content, structuredContent, isError, _meta }: CallToolResult): JsonObject {
  return {
    content: content ?? [],
    ...(structuredContent !== undefined && { structuredContent }),
    ...(isError !== undefined && { isError }),
    ...(_meta !== undefined && { _meta }),
  }
}
