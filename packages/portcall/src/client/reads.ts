import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import { MetaKey } from '../protocol/meta.ts'
import type { Completion, DiscoverResult, GetPromptResult, Implementation, ReadResourceResult } from '../protocol/types.ts'
import { InvalidResult } from './errors.ts'
import type { CallOptions } from './options.ts'

/** What a server says about itself, and who it is. */
export type Discovered = DiscoverResult & { serverInfo?: Implementation }

/** What is completed: an argument of a prompt, or a variable of a template. */
export type CompletionRef = { type: 'ref/prompt'; name: string } | { type: 'ref/resource'; uri: string }

/** What has already been filled in. */
export type CompleteOptions = CallOptions & { arguments?: Record<string, string> }

type Fetch = (method: string, params: JsonObject, options?: CallOptions) => Promise<JsonObject>

/** Requests for one thing each, whose results are checked for what they cannot do without. */
export interface Reads {
  /** What the server says about itself. */
  discover(options?: CallOptions): Promise<Discovered>
  read(uri: string, options?: CallOptions): Promise<ReadResourceResult>
  getPrompt(name: string, args?: Record<string, string>, options?: CallOptions): Promise<GetPromptResult>
  /** Suggests values for an argument of a prompt or a variable of a template. */
  complete(ref: CompletionRef, argument: { name: string; value: string }, options?: CompleteOptions): Promise<Completion>
}

/** Makes the reads of a client: what may be kept is got by `cached`, the rest by `request`. @throws InvalidResult */
export function createReads(cached: Fetch, request: Fetch): Reads {
  return {
    async discover(given) {
      const result = (await cached('server/discover', {}, given)) as unknown as Discovered
      const serverInfo = result._meta?.[MetaKey.serverInfo] ?? result.serverInfo
      return isObject(serverInfo) ? { ...result, serverInfo: serverInfo as unknown as Implementation } : result
    },
    async read(uri, given) {
      const result = await cached('resources/read', { uri }, given)
      if (!Array.isArray(result.contents)) throw new InvalidResult('The result of resources/read has no contents')
      return result as unknown as ReadResourceResult
    },
    async getPrompt(name, args = {}, given) {
      const result = await request('prompts/get', { name, arguments: args }, given)
      if (!Array.isArray(result.messages)) throw new InvalidResult('The result of prompts/get has no messages')
      return result as unknown as GetPromptResult
    },
    async complete(ref, argument, given = {}) {
      const context = given.arguments && { context: { arguments: given.arguments } }
      const { completion } = await request('completion/complete', { ref, argument, ...context }, given)
      if (!isObject(completion) || !Array.isArray(completion.values))
        throw new InvalidResult('The result of completion/complete has no values')
      return completion as unknown as Completion
    },
  }
}
