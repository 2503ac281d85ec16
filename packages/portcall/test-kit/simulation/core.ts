import { ErrorCode } from '../../src/jsonrpc/errors.ts'
import type { Exchange, ExchangeContext } from '../../src/jsonrpc/exchange.ts'
import { failure, isObject, type JsonObject, notification, success } from '../../src/jsonrpc/message.ts'
import { MetaKey } from '../../src/protocol/meta.ts'
import { MODERN_VERSIONS } from '../../src/protocol/revisions.ts'

/** The core of a simulated server. */
export interface SimCore {
  readonly exchange: Exchange
  /** The number of running tool calls. */
  readonly running: number
  /** The number of open `subscriptions/listen` requests. */
  readonly listening: number
  /** Notifies the subscribers of a resource. */
  change(uri: string): void
}

/** A tool. It waits at `step` and returns its text. */
type Tool = (args: { mark: string; steps: number; answer: unknown }, tools: ToolContext) => Promise<string | JsonObject> | string

interface ToolContext {
  progress(step: number): void
  step(): Promise<void>
}

const TOOLS: Record<string, Tool> = {
  async say({ mark, steps }, { progress, step }) {
    for (let at = 1; at <= steps; at++) {
      progress(at)
      await step()
    }
    return mark
  },
  async ask({ mark, answer }, { step }) {
    await step()
    if (isObject(answer)) return `${mark} ${JSON.stringify(answer)}`
    const params = { message: mark, requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } }
    return { resultType: 'input_required', inputRequests: { name: { method: 'elicitation/create', params } } }
  },
  add: ({ mark }) => mark,
}

/** Creates a server with tools that report progress, elicit input or just return. `step` waits until the simulation continues; `onRun` counts runs. */
export function createSimCore(step: () => Promise<void>, onRun: (mark: string) => void): SimCore {
  const subscriptions = new Map<ExchangeContext, readonly string[]>()
  let running = 0

  const call = async (params: JsonObject, context: ExchangeContext): Promise<JsonObject> => {
    const { mark, steps } = params.arguments as { mark: string; steps: number }
    const answer = (params.inputResponses as JsonObject | undefined)?.name
    if (!params.inputResponses) onRun(mark)
    running++
    try {
      const text = await TOOLS[params.name as string]?.(
        { mark, steps, answer },
        {
          progress: (at) => void context.notify(notification('notifications/progress', { progressToken: mark, progress: at })),
          async step() {
            await step()
            context.signal.throwIfAborted()
          },
        },
      )
      return typeof text === 'string' ? { resultType: 'complete', content: [{ type: 'text', text }] } : (text ?? {})
    } finally {
      running--
    }
  }
  const listen = async ({ notifications }: JsonObject, context: ExchangeContext, id: string | number): Promise<JsonObject> => {
    const { resourceSubscriptions = [] } = notifications as { resourceSubscriptions?: string[] }
    const _meta = { [MetaKey.subscriptionId]: id }
    void context.notify(notification('notifications/subscriptions/acknowledged', { notifications, _meta }))
    subscriptions.set(context, resourceSubscriptions)
    return new Promise((_, reject) =>
      context.signal.addEventListener('abort', () => {
        subscriptions.delete(context)
        reject(context.signal.reason)
      }),
    )
  }
  const discoverResult = {
    supportedVersions: MODERN_VERSIONS,
    capabilities: { tools: { listChanged: true }, resources: { subscribe: true, listChanged: true } },
    _meta: { [MetaKey.serverInfo]: { name: 'simulated', version: '1' } },
  }

  return {
    get running() {
      return running
    },
    get listening() {
      return subscriptions.size
    },
    async exchange({ id, method, params = {} }, context) {
      if (method === 'tools/call') return success(id, await call(params, context))
      if (method === 'subscriptions/listen') return success(id, await listen(params, context, id))
      if (method === 'server/discover')
        return success(id, { resultType: 'complete', ttlMs: 0, cacheScope: 'private', ...discoverResult })
      return failure(id, { code: ErrorCode.methodNotFound, message: 'Method not found' })
    },
    change(uri) {
      for (const [context, uris] of subscriptions)
        if (uris.includes(uri)) void context.notify(notification('notifications/resources/updated', { uri }))
    },
  }
}
