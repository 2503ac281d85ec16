import type { InspectorTarget, SourceServer } from '../protocol/servers.ts'
import { InspectorCommandError } from '../state/command-error.ts'
import type { InspectorFiles } from '../state/files.ts'
import type { Inventories } from './inventories.ts'
import { createManagedServer, type ManagedServer, type ServerContext } from './managed-server.ts'
import { type NewServer, withoutSecrets } from './server-facts.ts'

/** The servers of the inspector, in the order of their tabs. */
export interface ServerList {
  readonly all: readonly ManagedServer[]
  /** @throws InspectorCommandError if there is none. */
  get(id: string): ManagedServer
  add(server: NewServer): Promise<ManagedServer>
  /** Disconnects and removes a server. */
  remove(id: string): Promise<void>
  /** Keeps a server in the file of saved servers, or deletes it there. */
  save(id: string, saved: boolean): void
  /** The saved servers. */
  readonly saved: readonly SavedServer[]
}

/** A server in the file of saved servers. */
export type SavedServer = Pick<NewServer, 'target' | 'settings'> & { readonly name: string }

export interface ServerListOptions {
  readonly files: InspectorFiles
  readonly inventories: Inventories
  readonly context: ServerContext
}

const FILE = 'servers.json'
const MAX_SERVERS = 100

/** Creates the list, which is empty. */
export function createServerList({ files, inventories, context }: ServerListOptions): ServerList {
  const servers = new Map<string, ManagedServer>()
  const toSaved = (stored: unknown): SavedServer[] => (Array.isArray(stored) ? (stored as SavedServer[]) : [])
  const readSaved = (): SavedServer[] => toSaved(files.read(FILE, []))
  const get = (id: string): ManagedServer => {
    const server = servers.get(id)
    if (!server) throw new InspectorCommandError('NOT_FOUND', 'There is no such server')
    return server
  }
  return {
    get all() {
      return [...servers.values()]
    },
    get,
    async add(init) {
      if (servers.size >= MAX_SERVERS) throw new InspectorCommandError('FAILED', `At most ${MAX_SERVERS} servers can be open`)
      const saved = init.saved ?? readSaved().some(({ target }) => isSameTarget(target, init.target))
      const server = await createManagedServer({ ...init, saved }, context)
      servers.set(server.id, server)
      return server
    },
    async remove(id) {
      const server = get(id)
      servers.delete(id)
      await server.disconnect()
      inventories.remove(id)
      context.hub.publish({ type: 'server-removed', serverId: id })
    },
    save(id, saved) {
      const server = get(id)
      const { name } = server.state
      const entry = { name, target: server.target, settings: withoutSecrets(server.settings) }
      files.update(FILE, (stored) => {
        const others = toSaved(stored).filter(({ target }) => !isSameTarget(target, server.target))
        return saved ? [...others, entry] : others
      })
      server.show({ saved })
    },
    get saved() {
      return readSaved()
    },
  }
}

/** Reports whether two targets are the same. */
export function isSameTarget(a: InspectorTarget, b: InspectorTarget): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

/** Describes a saved server as one of a source. */
export function toSourceServer({ name, target }: SavedServer): SourceServer {
  const summary =
    target.kind === 'url'
      ? target.url
      : target.kind === 'program'
        ? [target.command, ...target.args].join(' ')
        : 'path' in target
          ? target.path
          : name
  return { name, target, summary, disabled: false }
}
