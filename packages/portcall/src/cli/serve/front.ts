/**
 * What stays while a server is replaced: an Exchange that forwards to the server of now. Who listens for changes goes on listening; after
 * a replacement anything may have changed, so they are told of all that they listen for.
 */
import type { ChannelExchange, Exchange, ExchangeContext } from '../../client.ts'
import type { Serveable } from '../../index.ts'
import {
  isObject,
  type JsonObject,
  type Notification,
  notification,
  type RequestId,
  type Response,
  success,
} from '../../jsonrpc.ts'

/** A server that can be replaced. */
export interface Front extends Serveable {
  /** Starts a server and puts it in the place of the last one, which finishes its calls. @throws when it does not start; the last one stays. */
  replace(): Promise<void>
}

export interface FrontOptions {
  readonly start: () => Promise<ChannelExchange>
  /** Hears of what goes wrong. */
  readonly onError: (error: unknown) => void
  /** How long the calls of a server that was replaced may take to finish, in milliseconds. */
  readonly drainMs?: number
}

const DRAIN_MS = 5000

/** One server of several that come after each other. */
interface Running {
  readonly served: ChannelExchange
  readonly replaced: AbortController
  calls: number
}

/** Makes the front; requests wait until the first server is there. */
export function createFront({ start, onError, drainMs = DRAIN_MS }: FrontOptions): Front {
  let begin = (_first: Running): void => {}
  let current = new Promise<Running>((resolve) => {
    begin = resolve
  })
  const end = new AbortController()

  const retire = (running: Running): void => {
    running.replaced.abort()
    const close = (): void => void running.served.close()
    if (running.calls === 0) close()
    else setTimeout(close, drainMs).unref()
  }
  const call: Exchange = async (request, context) => {
    const running = await current
    running.calls++
    try {
      return await running.served.exchange(request, context)
    } finally {
      if (--running.calls === 0 && running.replaced.signal.aborted) void running.served.close()
    }
  }
  const listen: Exchange = async (request, context) => {
    for (let again = false; ; again = true) {
      const running = await current
      const { signal: replaced } = running.replaced
      const signal = AbortSignal.any([context.signal, replaced, end.signal])
      const asked = running.served.exchange(request, { signal, notify: again ? retold(context) : (told) => context.notify(told) })
      const outcome = await asked.catch((error: unknown) => {
        if (context.signal.aborted || !(replaced.aborted || end.signal.aborted)) throw error
      })
      if (outcome || end.signal.aborted) return outcome ?? ended(request.id)
    }
  }
  return {
    exchange: (request, context) => (request.method === 'subscriptions/listen' ? listen : call)(request, context),
    report: onError,
    close: () => end.abort(),
    async replace() {
      const running: Running = { served: await start(), replaced: new AbortController(), calls: 0 }
      const before = current
      current = Promise.resolve(running)
      begin(running)
      const last = await before
      if (last !== running) retire(last)
    },
  }
}

/** The result of a subscription that its server has ended. */
function ended(id: RequestId): Response {
  return success(id, { resultType: 'complete', _meta: { 'io.modelcontextprotocol/subscriptionId': id } })
}

/** Passes on what a server tells. That it listens again becomes news of everything that it agreed to tell of. */
function retold(context: ExchangeContext): (told: Notification) => void {
  return (told) => {
    const isAgain = told.method === 'notifications/subscriptions/acknowledged'
    for (const one of isAgain ? everything(told.params ?? {}) : [told]) void context.notify(one)
  }
}

const CHANGES: { readonly [list: string]: string } = {
  toolsListChanged: 'notifications/tools/list_changed',
  promptsListChanged: 'notifications/prompts/list_changed',
  resourcesListChanged: 'notifications/resources/list_changed',
}

function everything({ notifications: granted, _meta }: JsonObject): Notification[] {
  if (!isObject(granted)) return []
  const lists = Object.entries(CHANGES).filter(([list]) => granted[list] === true)
  const uris = Array.isArray(granted.resourceSubscriptions) ? granted.resourceSubscriptions : []
  return [
    ...lists.map(([, method]) => notification(method, { _meta })),
    ...uris.map((uri) => notification('notifications/resources/updated', { uri, _meta })),
  ]
}
