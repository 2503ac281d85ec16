import { ErrorCode } from '../src/jsonrpc/errors.ts'
import type { Exchange, ExchangeContext } from '../src/jsonrpc/exchange.ts'
import { failure, type JsonObject, type Notification, notification, type Response, success } from '../src/jsonrpc/message.ts'
import { invalidParams, methodNotFound, unsupportedProtocolVersion } from '../src/protocol/errors.ts'
import { MetaKey } from '../src/protocol/meta.ts'
import { MODERN_VERSIONS } from '../src/protocol/revisions.ts'

type Tool = (args: any, context: ExchangeContext, params: JsonObject) => unknown

/** A hand-made core: what an Exchange of the newest revision does, as small as tests of transports allow. */
export interface TestCore {
  readonly exchange: Exchange
  /** What happened, in order: `start slow`, `abort slow`. */
  readonly events: string[]
  /** Requests that are being answered, without those that listen. */
  readonly running: number
  /** Lets the `hold` tool go on. */
  release(): void
  /** How many listen. */
  readonly listening: number
  /** Tells all who listen. */
  change(method?: string): void
  /** Ends all `subscriptions/listen` requests. */
  end(): void
  /** What the last request brought along. */
  last: ExchangeContext | undefined
  /** And its envelope. */
  lastMeta: JsonObject | undefined
}

export function createTestCore(): TestCore {
  const events: string[] = []
  const held: Array<() => void> = []
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
      for (let at = 1; at <= times; at++) {
        const full = context.notify(
          notification('notifications/progress', { progressToken: 't', progress: at, message: 'x'.repeat(size) }),
        )
        if (wait) await full
      }
      return { content: [{ type: 'text', text: `told ${times}` }] }
    },
    async hold({ name = 'hold', say = false, retryMs }, context) {
      events.push(`start ${name}`)
      context.signal.addEventListener('abort', () => events.push(`abort ${name}`))
      if (say) await context.notify(notification('notifications/progress', { progressToken: 't', progress: 1 }))
      if (retryMs) context.release?.(retryMs)
      await new Promise<void>((resolve, reject) => {
        if (context.signal.aborted) reject(new Error('aborted'))
        held.push(resolve)
        context.signal.addEventListener('abort', () => reject(new Error('aborted')))
      })
      if (say) await context.notify(notification('notifications/progress', { progressToken: 't', progress: 2 }))
      return { content: [{ type: 'text', text: name }] }
    },
    deaf: () => new Promise((resolve) => held.push(() => resolve({ content: [] }))),
    ask(_, __, { inputResponses }) {
      const answer = (inputResponses as any)?.name
      if (answer) return { content: [{ type: 'text', text: JSON.stringify(answer) }] }
      const params = { message: 'Name?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } }
      return { resultType: 'input_required', inputRequests: { name: { method: 'elicitation/create', params } } }
    },
    header: ({ region }, context) => ({ content: [{ type: 'text', text: `${region} ${context.mirror?.('Mcp-Param-Region')}` }] }),
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
      await context.notify(subscribed(id, 'notifications/subscriptions/acknowledged', { notifications }))
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
    last: undefined,
    lastMeta: undefined,
    get running() {
      return running
    },
    get listening() {
      return listeners.size
    },
    async exchange(request, context): Promise<Response> {
      core.last = context
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
      for (const go of held.splice(0)) go()
    },
    change(method = 'notifications/tools/list_changed') {
      for (const [context, { id }] of listeners) void context.notify(subscribed(id, method))
    },
    end() {
      for (const { finish } of listeners.values()) finish()
      listeners.clear()
    },
  }
  return core
}

function subscribed(id: string | number, method: string, params: JsonObject = {}): Notification {
  return notification(method, { ...params, _meta: { [MetaKey.subscriptionId]: id } })
}
