import { sha256 } from '../../../util/src/digest.ts'
import { randomId } from '../../../util/src/random.ts'
import { type Authorization, authorizationOf, coversAuthorization } from '../jsonrpc/authorization-key.ts'
import type { ExchangeContext } from '../jsonrpc/exchange.ts'
import { isObject, type JsonObject, type Request, type Response, success } from '../jsonrpc/message.ts'
import type { KeyValueStore } from '../stores/store.ts'

/** Results that are too large to be returned, which their caller can read as a resource. */
export interface LinkedResults {
  /** Stores a result and returns the one that links to it. */
  link(result: JsonObject, context: ExchangeContext, bytes: number): Promise<JsonObject>
  /**
   * Answers `resources/read` for a stored result. Returns `undefined` for other requests, and for results of callers with another authorization:
   * the caller may have more scopes than then, but not fewer.
   */
  read(request: Request, context: ExchangeContext): Promise<Response | undefined>
}

const SCHEME = 'portcall-result://'

export function createLinkedResults(store: KeyValueStore, ttlMs: number): LinkedResults {
  const keyOf = async (id: string, { auth }: ExchangeContext): Promise<string> =>
    `portcall:result:${await sha256(auth?.principal ?? '')}/${id}`
  return {
    async link(result, context, bytes) {
      const id = randomId()
      const resource = toResource(result)
      const stored: StoredResult = { authorization: authorizationOf(context.auth), resource }
      await store.set(await keyOf(id, context), JSON.stringify(stored), { ttlMs })
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
      const stored = await store.get(await keyOf(uri.slice(SCHEME.length), context))
      if (stored === undefined) return undefined
      const { authorization, resource } = JSON.parse(stored) as StoredResult
      if (!coversAuthorization(context.auth, authorization)) return undefined
      const contents = [{ uri, ...resource }]
      return success(id, { resultType: 'complete', contents, ttlMs: 0, cacheScope: 'private' })
    },
  }
}

/** A stored result, and the authorization that it was obtained with. */
interface StoredResult {
  readonly authorization: Authorization
  readonly resource: Resource
}

interface Resource {
  readonly mimeType: string
  readonly text: string
}

/** Results that are only text are stored as text, others as JSON. */
function toResource({ content, structuredContent }: JsonObject): Resource {
  const blocks: unknown[] = Array.isArray(content) ? content : []
  if (structuredContent !== undefined) return { mimeType: 'application/json', text: JSON.stringify(structuredContent) }
  const texts = blocks
    .filter((block) => isObject(block) && block.type === 'text')
    .map((block) => String((block as JsonObject).text))
  if (texts.length === blocks.length) return { mimeType: 'text/plain', text: texts.join('\n') }
  return { mimeType: 'application/json', text: JSON.stringify(blocks) }
}
