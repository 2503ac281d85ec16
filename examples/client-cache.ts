import { type Client, connect } from 'portcall/client'
import type { KeyValueStore } from 'portcall/stores'

/** Connects with a cache in a store that several processes share. */
export function connectCached(url: string, store: KeyValueStore, user: string): Promise<Client> {
  return connect(url, { cache: { store, partition: user, staleIfErrorTtlMs: 60_000 } })
}
