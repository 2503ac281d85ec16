import type { SubscriptionFilter } from 'portcall/client'
import { isJsonEqual } from '../../../util/src/json-equal.ts'
import type { InspectorInventory, InspectorTask, InventoryItems, InventoryKind } from '../protocol/servers.ts'
import { toFailure } from '../state/command-error.ts'
import type { EventHub } from '../state/event-hub.ts'
import type { Timeline } from '../timeline/timeline.ts'
import type { ManagedServer } from './managed-server.ts'
import type { InspectorClient, OpenInspectedServer } from './open-server.ts'
import type { TaskNotes } from './task-notes.ts'

/** The lists of all servers. */
export interface Inventories {
  readonly all: readonly InspectorInventory[]
  get(serverId: string, kind: InventoryKind): InspectorInventory | undefined
  /** Lists everything of a server that has connected, and follows its changes. */
  follow(server: ManagedServer): void
  /** Fetches one list. Resolves to the number of its items. @throws the error of the server. */
  refresh(server: ManagedServer, kind: InventoryKind): Promise<number>
  /** Forgets the lists of a server. */
  remove(serverId: string): void
  /** Adds a task, or its state, to the list of tasks. */
  noteTask(server: ManagedServer, task: InspectorTask): void
  /** Sets a list that was not fetched. */
  set(inventory: InspectorInventory): void
}

type Lister = (client: InspectorClient) => Promise<readonly object[]>

const LISTERS: { readonly [Kind in Exclude<InventoryKind, 'tasks'>]: Lister } = {
  tools: (client) => client.tools().toArray(),
  resources: (client) => client.resources().toArray(),
  templates: (client) => client.resourceTemplates().toArray(),
  prompts: (client) => client.prompts().toArray(),
  skills: async (client) => (client.skills ? client.skills.list().toArray() : []),
  events: async (client) => (client.events ? client.events.list().toArray() : []),
}

const SKILLS_EXTENSION = 'io.modelcontextprotocol/skills'
const EVENTS_EXTENSION = 'io.modelcontextprotocol/events'

/** The lists that a server has, by its capabilities. */
const SUPPORTS: { readonly [Kind in keyof typeof LISTERS]: (open: OpenInspectedServer) => boolean } = {
  tools: ({ capabilities }) => capabilities.tools !== undefined,
  resources: ({ capabilities }) => capabilities.resources !== undefined,
  templates: ({ capabilities }) => capabilities.resources !== undefined,
  prompts: ({ capabilities }) => capabilities.prompts !== undefined,
  skills: ({ capabilities }) => capabilities.extensions?.[SKILLS_EXTENSION] !== undefined,
  events: ({ capabilities }) => capabilities.extensions?.[EVENTS_EXTENSION] !== undefined,
}

const KINDS = Object.keys(LISTERS) as (keyof typeof LISTERS)[]

/** The lists that a reported change affects. */
const AFFECTED: { readonly [change: string]: readonly (keyof typeof LISTERS)[] } = {
  tools: ['tools'],
  prompts: ['prompts'],
  resources: ['resources', 'templates'],
}

/** Creates the lists, which are empty. */
export function createInventories(hub: EventHub, timeline: Timeline, tasks: TaskNotes): Inventories {
  const lists = new Map<string, InspectorInventory>()
  const keyOf = (serverId: string, kind: InventoryKind): string => `${serverId} ${kind}`
  const set = (inventory: InspectorInventory): void => {
    lists.set(keyOf(inventory.serverId, inventory.kind), inventory)
    hub.publish({ type: 'inventory', inventory })
  }
  const get = (serverId: string, kind: InventoryKind): InspectorInventory | undefined => lists.get(keyOf(serverId, kind))

  const fetch = async (server: ManagedServer, kind: InventoryKind): Promise<readonly object[]> => {
    const { client } = server.connection
    return kind === 'tasks' ? tasks.list(server) : LISTERS[kind](client)
  }
  const refresh: Inventories['refresh'] = async (server, kind) => {
    const before = get(server.id, kind)
    const base = { serverId: server.id, kind, items: before?.items ?? [] }
    set({ ...base, status: before?.status === 'ready' ? 'stale' : 'loading' } as InspectorInventory)
    try {
      const items = await fetch(server, kind)
      const changed = before?.fetchedAt === undefined ? undefined : differences(kind, before.items, items)
      set({ ...base, items, status: 'ready', fetchedAt: Date.now(), ...(changed && { changed }) } as InspectorInventory)
      return items.length
    } catch (error) {
      set({ ...base, status: 'failed', failure: toFailure(error) } as InspectorInventory)
      throw error
    }
  }
  const showTasks = (server: ManagedServer): void =>
    set({ serverId: server.id, kind: 'tasks', items: tasks.known(server), status: 'ready' })
  const listAll = async (server: ManagedServer, open: OpenInspectedServer): Promise<void> => {
    for (const kind of KINDS) {
      if (!SUPPORTS[kind](open)) set({ serverId: server.id, kind, items: [], status: 'unsupported' })
      else await refresh(server, kind).catch(() => {})
    }
    showTasks(server)
  }
  const watch = async (server: ManagedServer, open: OpenInspectedServer): Promise<void> => {
    const filter = filterOf(open)
    if (Object.keys(filter).length === 0) return
    for await (const change of open.client.listen(filter)) {
      const text = change.type === 'resource' ? `Changed: ${change.uri}` : `The list of ${change.type} changed`
      timeline.add({ type: 'connection', serverId: server.id, time: Date.now(), event: 'change', text })
      for (const kind of AFFECTED[change.type] ?? []) void refresh(server, kind).catch(() => {})
    }
  }

  return {
    get all() {
      return [...lists.values()]
    },
    get,
    set,
    noteTask(server, task) {
      if (tasks.note(server, task)) showTasks(server)
    },
    refresh,
    follow(server) {
      const open = server.connection
      void listAll(server, open).catch(() => {})
      void watch(server, open).catch(() => {})
      if (SUPPORTS.events(open)) open.client.events?.onListChanged(() => void refresh(server, 'events').catch(() => {}))
    },
    remove(serverId) {
      for (const [key, { serverId: owner }] of [...lists]) if (owner === serverId) lists.delete(key)
    },
  }
}

function filterOf({ capabilities }: OpenInspectedServer): SubscriptionFilter {
  const { tools, resources, prompts } = capabilities
  return {
    ...(tools?.listChanged && { toolsListChanged: true }),
    ...(resources?.listChanged && { resourcesListChanged: true }),
    ...(prompts?.listChanged && { promptsListChanged: true }),
  }
}

const KEYS: { readonly [Kind in InventoryKind]: string } = {
  tools: 'name',
  resources: 'uri',
  templates: 'uriTemplate',
  prompts: 'name',
  skills: 'uri',
  tasks: 'taskId',
  events: 'name',
}

function differences(
  kind: InventoryKind,
  before: InventoryItems[InventoryKind],
  after: readonly object[],
): NonNullable<InspectorInventory['changed']> {
  const byKey = (items: readonly object[]): Map<string, object> =>
    new Map(items.map((item) => [String((item as Record<string, unknown>)[KEYS[kind]]), item]))
  const [old, now] = [byKey(before), byKey(after)]
  return {
    added: [...now.keys()].filter((key) => !old.has(key)),
    changed: [...now].filter(([key, item]) => old.has(key) && !isJsonEqual(old.get(key), item)).map(([key]) => key),
    removed: [...old.keys()].filter((key) => !now.has(key)),
  }
}
