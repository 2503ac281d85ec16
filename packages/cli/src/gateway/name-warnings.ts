import type { Gateway, GatewayConfig } from 'portcall/gateway'
import type { Io } from '../io.ts'
import { namesIn, readServerLists, type ServerLists, unusedNames } from './unused-names.ts'

/** Warns about names in the configuration of a running gateway that no server has. */
export interface NameWarnings {
  /** Fetches the lists of a server that was connected, and warns about the names that it should have. */
  connected(server: string): Promise<void>
  /** Checks another configuration, with the servers that stay connected. */
  reloaded(config: GatewayConfig): Promise<void>
}

/** Creates the warnings of a gateway. Each entry of the configuration is logged once, as long as it stays the same. */
export function createNameWarnings(gateway: Gateway, { config, log }: { config: GatewayConfig } & Pick<Io, 'log'>): NameWarnings {
  let current = config
  let lists = new Map<string, ServerLists>()
  const logged = new Set<string>()

  const connected = async (server: string): Promise<void> => {
    if (namesIn(current).length === 0) return
    const own = lists
    const known = await readServerLists(gateway, server)
    // The configuration has changed meanwhile, and perhaps the server.
    if (own !== lists) return
    lists.set(server, known)
    for (const { key, message } of unusedNames(current, lists)) {
      if (!logged.has(key)) log(message)
      logged.add(key)
    }
  }
  return {
    connected,
    async reloaded(next) {
      const keys = namesIn(next)
      for (const key of logged) if (!keys.includes(key)) logged.delete(key)
      current = next
      lists = new Map()
      const ready = Object.entries(gateway.status().servers).filter(([, { state }]) => state === 'ready')
      await Promise.all(ready.map(([server]) => connected(server)))
    },
  }
}
