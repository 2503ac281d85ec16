/** A client whose cache is in a store that several processes share. */
import { type Client, connect } from 'portcall/client'
import type { KeyValueStore } from 'portcall/stores'

export function connectCached(url: string, store: KeyValueStore, user: string): Promise<Client> {
  return connect(url, { cache: { store, partition: user, staleIfErrorTtlMs: 60_000 } })
}
