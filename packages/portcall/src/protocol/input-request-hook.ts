import type { JsonObject, Response } from '../jsonrpc/message.ts'

/** Wraps the request that asks a client of an older revision for input. `send` sends it with these params. */
export type InputRequestHook = (
  request: { readonly method: string; readonly params: JsonObject | undefined },
  send: (params: JsonObject | undefined) => Promise<Response>,
) => Promise<Response>

/**
 * The key in `inputRequests` under which middleware leaves a hook for the legacy adapter, which sends input requests as requests of their own.
 * A symbol cannot appear in a message.
 */
export const INPUT_REQUEST_HOOK: unique symbol = Symbol('input request hook')

/** Returns the hook that middleware left in the input requests of a result. */
export function inputRequestHookOf(inputRequests: object): InputRequestHook | undefined {
  const { [INPUT_REQUEST_HOOK]: hook }: { readonly [INPUT_REQUEST_HOOK]?: InputRequestHook } = inputRequests
  return hook
}
