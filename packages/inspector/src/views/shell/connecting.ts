import { signal } from '@preact/signals'
import { announce, run } from '../../state/actions.ts'
import type { ConnectionSettings, InspectorServer, InspectorTarget } from '../../state/protocol.ts'
import { go } from '../../state/route.ts'
import { store, upsert } from '../../state/store.ts'

/** A server whose program waits for a person to confirm the whole command. */
export const toConfirm = signal<InspectorServer | undefined>(undefined)

/** Servers that the doctor examines by itself if they do not connect, because a person has just asked for the connection. */
const watched = new Set<string>()

/**
 * Connects to a server. Something that runs on this machine starts only after a person has seen the whole of it: `isConfirmed` says that they
 * have.
 */
export async function connectServer(server: InspectorServer, isConfirmed = false): Promise<void> {
  if (server.runs !== undefined && !isConfirmed) {
    toConfirm.value = server
    return
  }
  watched.add(server.id)
  announce(`Connecting to ${server.name}`)
  await run('connect-server', { serverId: server.id, ...(server.runs !== undefined && { confirm: server.runs }) })
}

/** Adds a server, shows it and connects. */
export async function addServer(
  target: InspectorTarget,
  {
    name,
    settings,
    isConfirmed = false,
  }: { name?: string | undefined; settings?: ConnectionSettings | undefined; isConfirmed?: boolean },
): Promise<void> {
  const added = await run('add-server', { target, ...(name && { name }), ...(settings && { settings }) })
  if (!added) return
  upsert(store.servers, added.serverId, added.server)
  fresh.add(added.serverId)
  go({ screen: 'connection', serverId: added.serverId })
  await connectServer(added.server, isConfirmed)
}

/** Shows the first server of the command line instead of the form, if the address names no screen. Its connection is one that a person asked for. */
export function showFirstServer(): void {
  const [first] = store.servers.value.values()
  if (!first || location.hash !== '') return
  if (first.status === 'connecting') fresh.add(first.id)
  watched.add(first.id)
  const isUsable = first.status === 'connected' || first.status === 'recording'
  go({ screen: isUsable ? 'tools' : 'connection', serverId: first.id }, { replace: true })
}

/** Servers that have just been added: their tools are shown once they are connected. */
const fresh = new Set<string>()

/** Reports whether a server has just been added, once. */
export const takeFresh = (serverId: string): boolean => fresh.delete(serverId)

/** Lets the doctor examine a server. */
export async function examine(server: InspectorServer): Promise<void> {
  await run('run-doctor', { serverId: server.id, ...(server.runs !== undefined && { confirm: server.runs }) })
}

/** Reports whether the doctor should examine a server that has just failed to connect, once for each attempt. */
export const takeWatched = (serverId: string): boolean => watched.delete(serverId)
