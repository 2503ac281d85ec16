import { ErrorCode } from '../src/jsonrpc/errors.ts'
import type { Exchange, ExchangeContext } from '../src/jsonrpc/exchange.ts'
import { failure, type JsonObject, type Notification, notification, type Response, success } from '../src/jsonrpc/message.ts'
import { invalidParams, methodNotFound, unsupportedProtocolVersion } from '../src/protocol/errors.ts'
import { MetaKey } from '../src/protocol/meta.ts'
import { MODERN_VERSIONS } from '../src/protocol/revisions.ts'

type Tool = (args: any, context: ExchangeContext, params: JsonObject) => unknown

/** A minimal Exchange of the newest revision, for tests of transports. */
export interface TestCore {
  readonly exchange: Exchange
  /** The events of tools in order, such as `start hold` and `abort hold`. */
  readonly events: string[]
  /** The number of requests being answered, without subscriptions. */
  readonly running: number
  /** Lets the calls of `hold` and `deaf` return. */
  release(): void
  /** The number of open subscriptions. */
  readonly subscriptions: number
  /** Sends a notification to all subscriptions. */
  notifyChange(method?: string): void
  /** Ends all `subscriptions/listen` requests. */
  endSubscriptions(): void
  /** The context of the last request. */
  lastContext: ExchangeContext | undefined
  /** The `_meta` of the last request. */
  lastMeta: JsonObject | undefined
}

export function createTestCore(): TestCore {
  const events: string[] = []
  const pending: Array<() => void> = []
  const listeners = new Map<ExchangeContext, { id: string | number; finish: () => void }>()
  let running = 0

  const tools: Record<string, Tool> = {
    echo: ({ text }) => ({ content: [{ type: 'text', text }] }),
    repeat: ({ text, times }) => ({ content: [{ type: 'text', text: text.repeat(times) }] }),
    add: ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] }),
    boom: () => {
      throw new Error('secret path /etc/passwd')
    },
    async progress({ times = 3, wait = false, size = 0 }, context) {
      for (let count = 1; count <= times; count++) {
        const drained = context.notify(
          notification('notifications/progress', { progressToken: 't', progress: count, message: 'x'.repeat(size) }),
        )
        if (wait) await drained
      }
      return { content: [{ type: 'text', text: `sent ${times}` }] }
    },
    async hold({ name = 'hold', notify = false, retryDelayMs }, context) {
      events.push(`start ${name}`)
      context.signal.addEventListener('abort', () => events.push(`abort ${name}`))
      if (notify) await context.notify(notification('notifications/progress', { progressToken: 't', progress: 1 }))
      if (retryDelayMs) context.closeStream?.(retryDelayMs)
      await new Promise<void>((resolve, reject) => {
        if (context.signal.aborted) reject(new Error('aborted'))
        pending.push(resolve)
        context.signal.addEventListener('abort', () => reject(new Error('aborted')))
      })
      if (notify) await context.notify(notification('notifications/progress', { progressToken: 't', progress: 2 }))
      return { content: [{ type: 'text', text: name }] }
    },
    deaf: () => new Promise((resolve) => pending.push(() => resolve({ content: [] }))),
    ask(_, __, { inputResponses }) {
      const answer = (inputResponses as any)?.name
      if (answer) return { content: [{ type: 'text', text: JSON.stringify(answer) }] }
      const params = { message: 'Name?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } }
      return { resultType: 'input_required', inputRequests: { name: { method: 'elicitation/create', params } } }
    },
    header: ({ region }, context) => ({
      content: [{ type: 'text', text: `${region} ${context.readParamHeader?.('Mcp-Param-Region')}` }],
    }),
  }

  const methods: Record<string, (params: JsonObject, context: ExchangeContext, id: string | number) => unknown> = {
    'server/discover': () => ({
      supportedVersions: MODERN_VERSIONS,
      capabilities: { tools: { listChanged: true }, logging: {} },
      ttlMs: 0,
      cacheScope: 'private',
      _meta: { [MetaKey.serverInfo]: { name: 'test', version: '1' } },
    }),
    'tools/list': () => ({ tools: [], ttlMs: 0, cacheScope: 'private' }),
    'tools/call'(params, context) {
      const tool = Object.hasOwn(tools, params.name as string) ? tools[params.name as string] : undefined
      if (!tool) throw invalidParams('unknown tool')
      return tool(params.arguments ?? {}, context, params)
    },
    'subscriptions/listen': async ({ notifications }, context, id) => {
      await context.notify(subscriptionMessage(id, 'notifications/subscriptions/acknowledged', { notifications }))
      await new Promise<void>((finish, reject) => {
        listeners.set(context, { id, finish })
        context.signal.addEventListener('abort', () => {
          listeners.delete(context)
          reject(new Error('aborted'))
        })
      })
      return { _meta: { [MetaKey.subscriptionId]: id } }
    },
  }
  const core: TestCore = {
    events,
    lastContext: undefined,
    lastMeta: undefined,
    get running() {
      return running
    },
    get subscriptions() {
      return listeners.size
    },
    async exchange(request, context): Promise<Response> {
      core.lastContext = context
      core.lastMeta = request.params?._meta as JsonObject | undefined
      const { id, method, params = {} } = request
      const version = (params._meta as JsonObject)?.[MetaKey.protocolVersion] as string
      if (method !== 'subscriptions/listen') running++
      try {
        if (!MODERN_VERSIONS.includes(version)) throw unsupportedProtocolVersion(version, MODERN_VERSIONS)
        const serve = Object.hasOwn(methods, method) ? methods[method] : undefined
        if (!serve) throw methodNotFound(method)
        return success(id, { resultType: 'complete', ...((await serve(params, context, id)) as JsonObject) })
      } catch (error) {
        if (context.signal.aborted) throw error
        if (error instanceof Error && 'body' in error) return failure(id, (error as any).body())
        return failure(id, { code: ErrorCode.internalError, message: 'Internal error' })
      } finally {
        if (method !== 'subscriptions/listen') running--
      }
    },
    release() {
      for (const resolve of pending.splice(0)) resolve()
    },
    notifyChange(method = 'notifications/tools/list_changed') {
      for (const [context, { id }] of listeners) void context.notify(subscriptionMessage(id, method))
    },
    endSubscriptions() {
      for (const { finish } of listeners.values()) finish()
      listeners.clear()
    },
  }
  return core
}

function subscriptionMessage(id: string | number, method: string, params: JsonObject = {}): Notification {
  return notification(method, { ...params, _meta: { [MetaKey.subscriptionId]: id } })
}
