/** The proxy page that views are shown in: on a port of its own, for the pages of this inspector. */
import { type ServedSandbox, serveSandbox } from '../../../portcall/src/preview/server/sandbox-server.ts'
import type { EventHub } from '../state/event-hub.ts'

/** The server of the proxy page, which starts when the page of the inspector is loaded. */
export interface ViewSandboxes {
  /** Resolves to the port. */
  port(): Promise<number>
  /** Returns the URL of the proxy page of a view for a page of an origin. */
  urlFor(origin: string, viewId: string): Promise<string>
  /** Stops the server. */
  close(): Promise<void>
}

/** The page can be reached by a few names of one machine. */
const MAX_ORIGINS = 4

/** Creates the server of the proxy page. What browsers report is published. */
export function createViewSandboxes(hub: EventHub): ViewSandboxes {
  const origins = new Set<string>()
  let served: Promise<ServedSandbox> | undefined
  const serve = (): Promise<ServedSandbox> =>
    (served ??= serveSandbox((violation, viewId) => hub.publish({ type: 'view-blocked', viewId, violation })))
  return {
    port: async () => (await serve()).port,
    async urlFor(origin, viewId) {
      if (!origins.has(origin) && origins.size >= MAX_ORIGINS)
        throw new RangeError(`The page has more than ${MAX_ORIGINS} origins`)
      const sandbox = await serve()
      origins.add(origin)
      sandbox.allow(origin)
      return sandbox.urlOf(viewId)
    },
    close: async () => (await served)?.close(),
  }
}
