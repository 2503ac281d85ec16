import { parseUrl } from '../../../../util/src/parse-url.ts'
import type { FlowLog } from './flow-log.ts'

/** Receives authorization responses, and accepts each `state` once. */
export interface CallbackReceiver {
  /** The `state` that is waited for. */
  readonly pending: string | undefined
  /** Resolves to the response with this `state`. @throws the reason of the signal. */
  wait(state: string, signal: AbortSignal): Promise<URLSearchParams>
  /** Delivers a response. Returns false if it is refused. */
  receive(response: string | URL | URLSearchParams): boolean
}

/** Creates the receiver of one flow. */
export function createCallbackReceiver(log: FlowLog): CallbackReceiver {
  const used = new Set<string>()
  let waiting: { readonly state: string; resolve(parameters: URLSearchParams): void } | undefined
  return {
    get pending() {
      return waiting?.state
    },
    wait: (state, signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason as Error)
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
        waiting = { state, resolve }
      }),
    receive(response) {
      const parameters = toParameters(response)
      if (!parameters) return false
      const states = parameters.getAll('state')
      const [state = ''] = states
      if (!waiting) return false
      const facts = { callback: parameters, usedStates: new Set(used), expectedState: waiting.state }
      const isExpected = states.length === 1 && state === waiting.state && !used.has(state)
      log.checkCallback(facts)
      if (!isExpected) return false
      log.learn(facts)
      used.add(state)
      const { resolve } = waiting
      waiting = undefined
      resolve(parameters)
      return true
    },
  }
}

function toParameters(response: string | URL | URLSearchParams): URLSearchParams | undefined {
  if (response instanceof URLSearchParams) return response
  return parseUrl(response)?.searchParams
}
