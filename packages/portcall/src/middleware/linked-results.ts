import type { ExchangeContext } from '../jsonrpc/exchange.ts'
import { isObject, type JsonObject, type Request, type Response, success } from '../jsonrpc/message.ts'
import type { KeyValueStore } from '../stores/store.ts'
import { randomId } from '../util/random.ts'

/** Results that are too large to be returned, which their caller can read as a resource. */
export interface LinkedResults {
  /** Stores a result and returns the one that links to it. */
  link(result: JsonObject, context: ExchangeContext, bytes: number): Promise<JsonObject>
  /** Answers `resources/read` for a stored result. Returns `undefined` for other requests, and for results of other callers. */
  read(request: Request, context: ExchangeContext): Promise<Response | undefined>
}

const SCHEME = 'portcall-result://'

export function createLinkedResults(store: KeyValueStore, ttlMs: number): LinkedResults {
  const keyOf = (id: string, { auth }: ExchangeContext): string => `portcall:result:${id}:${auth?.principal ?? ''}`
  return {
    async link(result, context, bytes) {
      const id = randomId()
      const resource = toResource(result)
      await store.set(keyOf(id, context), JSON.stringify(resource), { ttlMs })
      const minutes = Math.ceil(ttlMs / 60_000)
      const text = `The result has ${bytes} bytes, too many to return. Read the linked resource to get all of it, within ${minutes} min`
      const link = { type: 'resource_link', uri: SCHEME + id, name: 'result', mimeType: resource.mimeType, size: bytes }
      // A tool with an output schema must return structured content, unless it reports an error.
      const isError = result.isError === true || result.structuredContent !== undefined
      return { resultType: 'complete', content: [{ type: 'text', text }, link], ...(isError && { isError }) }
    },
    async read({ id, method, params }, context) {
      const uri = params?.uri
      if (method !== 'resources/read' || typeof uri !== 'string' || !uri.startsWith(SCHEME)) return undefined
      const stored = await store.get(keyOf(uri.slice(SCHEME.length), context))
      if (stored === undefined) return undefined
      const contents = [{ uri, ...(JSON.parse(stored) as JsonObject) }]
      return success(id, { resultType: 'complete', contents, ttlMs: 0, cacheScope: 'private' })
    },
  }
}

/** Results that are only text are stored as text, others as JSON. */
function toResource({ content, structuredContent }: JsonObject): { readonly mimeType: string; readonly text: string } {
  const blocks: unknown[] = Array.isArray(content) ? content : []
  if (structuredContent !== undefined) return { mimeType: 'application/json', text: JSON.stringify(structuredContent) }
  const texts = blocks
    .filter((block) => isObject(block) && block.type === 'text')
    .map((block) => String((block as JsonObject).text))
  if (texts.length === blocks.length) return { mimeType: 'text/plain', text: texts.join('\n') }
  return { mimeType: 'application/json', text: JSON.stringify(blocks) }
}
