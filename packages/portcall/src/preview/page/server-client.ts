/** The connection of the host page to the server of its views: the program that serves the page passes requests on. */

import type { AppCallOptions, AppClient } from '../../apps/host/types.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'

/** A request that the page sends to its program. */
export interface PageRequest {
  /** The function of the client. */
  readonly operation: 'tools' | 'callTool' | 'request'
  /** The tool, or the method. */
  readonly name?: string
  /** The arguments, or the params. */
  readonly args?: JsonObject
  /** Members of `_meta`. */
  readonly meta?: JsonObject
}

/** The answer of the program. */
export type PageAnswer = { readonly value: unknown } | { readonly error: { readonly code?: number; readonly message: string } }

/** Creates a client that sends its requests with `fetch`. */
export function createServerClient(): AppClient {
  const requestOf = (
    name: string,
    args: JsonObject | undefined,
    options: AppCallOptions | undefined,
  ): Omit<PageRequest, 'operation'> => ({
    name,
    ...(args && { args }),
    ...(options?.meta && { meta: options.meta }),
  })
  return {
    tools: () => ({ toArray: () => send({ operation: 'tools' }) }),
    callTool: (name, args, options) => send({ operation: 'callTool', ...requestOf(name, args, options) }, options?.signal),
    request: (method, params, options) => send({ operation: 'request', ...requestOf(method, params, options) }, options?.signal),
  }
}

async function send<T>(request: PageRequest, signal?: AbortSignal): Promise<T> {
  const response = await fetch('rpc', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(request),
    ...(signal && { signal }),
  })
  const answer = (await response.json()) as PageAnswer
  if ('value' in answer) return answer.value as T
  const { code, message } = answer.error
  throw Object.assign(new Error(message), code === undefined ? {} : { code })
}
