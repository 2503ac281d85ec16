import type { Client } from 'portcall/client'
import type { JsonObject } from 'portcall/jsonrpc'
import { failureOfError, failureOfResult } from './check-response.ts'
import { type CallFailure, type Lane, TIMEOUT } from './lane.ts'

/** The call that is measured: a tool, or another method. */
export type BenchCall =
  | { readonly tool: string; readonly args: JsonObject }
  | { readonly method: string; readonly params: JsonObject }

/** Makes the call once. */
export function makeCall(client: Client, call: BenchCall, signal: AbortSignal): Promise<object> {
  return 'tool' in call ? client.callTool(call.tool, call.args, { signal }) : client.request(call.method, call.params, { signal })
}

/** Creates a lane that calls through a client, for servers that are not reached over HTTP. All lanes share the connection. */
export function createClientLane(client: Client, call: BenchCall): Lane {
  const aborter = new AbortController()
  return {
    async call(): Promise<CallFailure> {
      try {
        return failureOfResult(await makeCall(client, call, aborter.signal))
      } catch (error) {
        const failure = failureOfError(error)
        return failure.includes('TIMEOUT') ? TIMEOUT : failure
      }
    },
    close: () => aborter.abort(),
  }
}
