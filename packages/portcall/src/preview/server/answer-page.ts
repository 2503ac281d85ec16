/** Requests of the host page to the server of its views. */
import { errorMessage } from '../../../../util/src/errors.ts'
import type { AppClient } from '../../apps/host/types.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import type { PageAnswer, PageRequest } from '../page/server-client.ts'

/** Passes a request of the page on. Resolves to what the page gets, also if it failed. */
export async function answerPage(client: AppClient, body: string, signal: AbortSignal): Promise<PageAnswer> {
  try {
    return { value: await pass(client, readRequest(body), signal) }
  } catch (error) {
    const { code } = (isObject(error) ? error : {}) as { code?: unknown }
    return { error: { message: errorMessage(error), ...(typeof code === 'number' && { code }) } }
  }
}

function readRequest(body: string): PageRequest {
  const request: unknown = JSON.parse(body)
  if (!isObject(request)) throw new TypeError('The request of the page is not an object')
  return request as unknown as PageRequest
}

function pass(client: AppClient, { operation, name = '', args, meta }: PageRequest, signal: AbortSignal): Promise<unknown> {
  const operations: { readonly [operation in PageRequest['operation']]: () => Promise<unknown> } = {
    tools: () => client.tools().toArray(),
    callTool: () => client.callTool(name, args ?? {}, { signal, ...(meta && { meta }) }),
    request: () => client.request(name, (args ?? {}) as JsonObject, { signal }),
  }
  if (!Object.hasOwn(operations, operation)) throw new TypeError('The request of the page has no known operation')
  return operations[operation]()
}
