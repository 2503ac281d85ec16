import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import { MetaKey } from '../protocol/meta.ts'
import type { Completion, DiscoverResult, GetPromptResult, Implementation, ReadResourceResult } from '../protocol/types.ts'
import { assertObjectArgument, assertStringArgument, InvalidResultError } from './errors.ts'
import type { CallOptions } from './options.ts'

/** The result of `server/discover`, plus the server's name and version. */
export type DiscoveredServer = DiscoverResult & {
  /** The name and version of the server. */
  serverInfo?: Implementation
}

/** The prompt or resource template whose argument is completed. */
export type CompletionRef =
  | {
      /** An argument of a prompt. */
      type: 'ref/prompt'
      /** The name of the prompt. */
      name: string
    }
  | {
      /** A variable of a resource template. */
      type: 'ref/resource'
      /** The URI template, as the server lists it. */
      uri: string
    }

/** Options of `complete`; `arguments` are the values entered so far. */
export type CompleteOptions = CallOptions & { arguments?: Record<string, string> }

type Send = (method: string, params: JsonObject, options?: CallOptions) => Promise<JsonObject>

/** The types of a server's prompts: the arguments, by the name of the prompt. */
export type PromptTypes = { [name: string]: unknown }

/** Prompts of a server whose types are not known. */
export type AnyPrompts = { [name: string]: Record<string, string> }

/** A URI that the compiler does not know, such as one from a list. */
type ComputedUri<U> = string extends U ? U : never

/** The client's requests for a single result. The required members of each result are checked. */
export interface ClientQueries<P extends PromptTypes = AnyPrompts, R extends string = string> {
  /** Returns the server's info, capabilities and instructions. */
  discover(options?: CallOptions): Promise<DiscoveredServer>
  /**
   * Reads a resource by its URI. If the client is typed by its server, a URI that you write in the code must be one of the server's.
   *
   * @throws RpcError when the resource does not exist.
   */
  readResource<const U extends string>(uri: R | ComputedUri<U>, options?: CallOptions): Promise<ReadResourceResult>
  /** Returns the messages of a prompt. @throws RpcError when the prompt does not exist or an argument is missing. */
  getPrompt<Name extends keyof P & string>(name: Name, args?: P[Name], options?: CallOptions): Promise<GetPromptResult>
  /** Suggests values for an argument of a prompt or a variable of a resource template. */
  complete(ref: CompletionRef, argument: { name: string; value: string }, options?: CompleteOptions): Promise<Completion>
}

/** Creates the queries of a client. `cached` sends cacheable requests, `request` the others. */
export function createQueries(cached: Send, request: Send): ClientQueries {
  return {
    async discover(options) {
      const result = (await cached('server/discover', {}, options)) as unknown as DiscoveredServer
      const serverInfo = result._meta?.[MetaKey.serverInfo] ?? result.serverInfo
      return isObject(serverInfo) ? { ...result, serverInfo: serverInfo as unknown as Implementation } : result
    },
    async readResource(uri, options) {
      assertStringArgument(uri, 'readResource(uri)')
      const result = await cached('resources/read', { uri }, options)
      if (!Array.isArray(result.contents)) throw new InvalidResultError('The result of resources/read has no contents')
      return result as unknown as ReadResourceResult
    },
    async getPrompt(name, args = {}, options) {
      assertStringArgument(name, 'getPrompt(name, arguments)')
      assertObjectArgument(args, 'getPrompt(name, arguments)')
      const result = await request('prompts/get', { name, arguments: args }, options)
      if (!Array.isArray(result.messages)) throw new InvalidResultError('The result of prompts/get has no messages')
      return result as unknown as GetPromptResult
    },
    async complete(ref, argument, options = {}) {
      assertObjectArgument(ref, 'complete(ref, argument)', 'ref')
      if (!isObject(argument) || typeof argument.name !== 'string' || typeof argument.value !== 'string')
        throw new TypeError('complete(ref, argument): argument must be { name, value }, both strings')
      const context = options.arguments && { context: { arguments: options.arguments } }
      const { completion } = await request('completion/complete', { ref, argument, ...context }, options)
      if (!isObject(completion) || !Array.isArray(completion.values))
        throw new InvalidResultError('The result of completion/complete has no values')
      return completion as unknown as Completion
    },
  }
}
