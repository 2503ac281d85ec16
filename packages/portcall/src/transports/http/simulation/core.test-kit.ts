import { ErrorCode } from '../../../jsonrpc/errors.ts'
import type { Exchange, ExchangeContext } from '../../../jsonrpc/exchange.ts'
import { failure, isObject, type JsonObject, notification, success } from '../../../jsonrpc/message.ts'
import { MetaKey } from '../../../protocol/meta.ts'
import { MODERN_VERSIONS } from '../../../protocol/revisions.ts'

/** What is served in a simulation. */
export interface SimCore {
  readonly exchange: Exchange
  /** Requests that are being answered. */
  readonly running: number
  /** `subscriptions/listen` requests that are open. */
  readonly listening: number
  /** Tells who watches a resource that it has changed. */
  change(uri: string): void
}

/** Runs a tool: it waits with `step` now and then, and returns its text. */
type Tool = (args: { mark: string; steps: number; answer: unknown }, does: Does) => Promise<string | JsonObject> | string

interface Does {
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

/** Serves tools that talk, ask or just answer; `step` lets whoever drives the simulation decide when they go on, `onRun` counts them. */
export function createSimCore(step: () => Promise<void>, onRun: (mark: string) => void): SimCore {
  const watching = new Map<ExchangeContext, readonly string[]>()
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
    watching.set(context, resourceSubscriptions)
    return new Promise((_, reject) =>
      context.signal.addEventListener('abort', () => {
        watching.delete(context)
        reject(context.signal.reason)
      }),
    )
  }
  const discovered = {
    supportedVersions: MODERN_VERSIONS,
    capabilities: { tools: { listChanged: true }, resources: { subscribe: true, listChanged: true } },
    _meta: { [MetaKey.serverInfo]: { name: 'simulated', version: '1' } },
  }

  return {
    get running() {
      return running
    },
    get listening() {
      return watching.size
    },
    async exchange({ id, method, params = {} }, context) {
      if (method === 'tools/call') return success(id, await call(params, context))
      if (method === 'subscriptions/listen') return success(id, await listen(params, context, id))
      if (method === 'server/discover')
        return success(id, { resultType: 'complete', ttlMs: 0, cacheScope: 'private', ...discovered })
      return failure(id, { code: ErrorCode.methodNotFound, message: 'Method not found' })
    },
    change(uri) {
      for (const [context, uris] of watching)
        if (uris.includes(uri)) void context.notify(notification('notifications/resources/updated', { uri }))
    },
  }
}
