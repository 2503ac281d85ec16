/** The proxy pages that views are shown in: each origin of the inspector's page has a server of its own. */
import { type ServedSandbox, serveSandbox } from '../../../portcall/src/preview/server/sandbox-server.ts'
import type { EventHub } from '../state/event-hub.ts'

/** The servers of proxy pages. */
export interface ViewSandboxes {
  /** Returns the URL of the proxy page of a view for a page of an origin. The server starts with the first view. */
  urlFor(origin: string, viewId: string): Promise<string>
  /** Stops the servers. */
  close(): Promise<void>
}

/** The page can be reached by a few names of one machine. */
const MAX_ORIGINS = 4

/** Creates the servers of proxy pages. What browsers report is published. */
export function createViewSandboxes(hub: EventHub): ViewSandboxes {
  const served = new Map<string, Promise<ServedSandbox>>()
  const start = (origin: string): Promise<ServedSandbox> => {
    const starting = serveSandbox(origin, (violation, viewId) => hub.publish({ type: 'view-blocked', viewId, violation }))
    served.set(origin, starting)
    starting.catch(() => served.delete(origin))
    return starting
  }
  return {
    async urlFor(origin, viewId) {
      const known = served.get(origin)
      if (!known && served.size >= MAX_ORIGINS) throw new RangeError(`The page has more than ${MAX_ORIGINS} origins`)
      return (await (known ?? start(origin))).urlOf(viewId)
    },
    async close() {
      const all = await Promise.allSettled(served.values())
      served.clear()
      await Promise.all(all.map((one) => (one.status === 'fulfilled' ? one.value.close() : undefined)))
    },
  }
}
