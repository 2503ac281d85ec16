import { batch, computed, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import type { LinkStatus } from './api.ts'
import { reportBlocked } from './blocked.ts'
import type {
  DoctorRun,
  FirstView,
  InspectorEvent,
  InspectorInventory,
  InspectorQuestion,
  InspectorRecording,
  InspectorServer,
  InspectorState,
  InventoryKind,
  MethodNames,
  ModelEndpoint,
  OAuthFlow,
  OperationState,
  QualityReport,
  ReplayRun,
  SavedAnswer,
  SavedCall,
  TimelineState,
} from './protocol.ts'
import { createTimeline } from './timeline.ts'

type ById<T> = Signal<ReadonlyMap<string, T>>

const byId = <T>(): ById<T> => signal<ReadonlyMap<string, T>>(new Map())

/** The state of the page: a fold over the events of the back end. Views read it; only `applyEvent` changes it. */
export const store = {
  /** The state of the link from the page to its back end. */
  link: signal<LinkStatus>('connecting'),
  /** True if the first snapshot has arrived. */
  isLoaded: signal(false),
  version: signal(''),
  revisions: signal<readonly string[]>([]),
  /** The methods of each revision, newest first. */
  methods: signal<readonly MethodNames[]>([]),
  servers: byId<InspectorServer>(),
  inventories: byId<InspectorInventory>(),
  operations: byId<OperationState>(),
  questions: byId<InspectorQuestion>(),
  answers: signal<readonly SavedAnswer[]>([]),
  calls: signal<readonly SavedCall[]>([]),
  /** The last run of the doctor of each server, by the id of the server. */
  doctors: byId<DoctorRun>(),
  flows: byId<OAuthFlow>(),
  recordings: byId<InspectorRecording>(),
  replays: byId<ReplayRun>(),
  model: signal<ModelEndpoint | null>(null),
  /** The view that the page shows first. */
  firstView: signal<FirstView | undefined>(undefined),
  /** The server whose code was loaded again last, as a new object each time. */
  reloaded: signal<{ readonly serverId: string } | undefined>(undefined),
  /** The last quality report of each server, by the id of the server. The page asks for it. */
  quality: byId<QualityReport>(),
  timelineState: signal<TimelineState>({ limit: 50_000, size: 0, firstId: 0, dropped: 0, paused: false }),
  /** Counts the changes of `timeline`. */
  timelineVersion: signal(0),
  timeline: createTimeline(),
}

/** Sets one item of a map that is held by a signal. */
export function upsert<T>(map: ById<T>, id: string, item: T): void {
  map.value = new Map(map.value).set(id, item)
}

function remove<T>(map: ById<T>, id: string): void {
  const next = new Map(map.value)
  next.delete(id)
  map.value = next
}

const mapOf = <T>(items: readonly T[], idOf: (item: T) => string): ReadonlyMap<string, T> =>
  new Map(items.map((item) => [idOf(item), item]))

const inventoryId = (serverId: string, kind: InventoryKind): string => `${serverId} ${kind}`

function applySnapshot(state: InspectorState): void {
  store.version.value = state.version
  store.revisions.value = state.revisions
  store.methods.value = state.methods
  store.servers.value = mapOf(state.servers, ({ id }) => id)
  store.inventories.value = mapOf(state.inventories, ({ serverId, kind }) => inventoryId(serverId, kind))
  store.operations.value = mapOf(state.operations, ({ id }) => id)
  store.questions.value = mapOf(state.questions, ({ id }) => id)
  store.answers.value = state.answers
  store.calls.value = state.calls
  store.doctors.value = mapOf(state.doctors, ({ serverId }) => serverId)
  store.flows.value = mapOf(state.flows, ({ id }) => id)
  store.recordings.value = mapOf(state.recordings, ({ id }) => id)
  store.replays.value = mapOf(state.replays, ({ id }) => id)
  store.model.value = state.model ?? null
  store.firstView.value = state.firstView
  applyTimeline(state.timeline)
  store.isLoaded.value = true
}

function applyTimeline(state: TimelineState): void {
  store.timelineState.value = state
  if (state.size === 0) store.timeline.clear()
  else store.timeline.dropBefore(state.firstId)
  store.timelineVersion.value++
}

/** The most operations that are kept. As in the back end, those of views are forgotten first. */
const MAX_OPERATIONS = 500

function applyOperation(operation: OperationState): void {
  const next = new Map(store.operations.value).set(operation.id, operation)
  if (next.size > MAX_OPERATIONS) {
    const all = [...next.values()]
    const oldest = all.find(({ options }) => options.fromView) ?? all[0]
    if (oldest) next.delete(oldest.id)
  }
  store.operations.value = next
}

type EventHandlers = { [Type in InspectorEvent['type']]: (event: InspectorEvent & { type: Type }) => void }

const HANDLERS: EventHandlers = {
  snapshot: ({ state }) => applySnapshot(state),
  ready: () => {},
  entries: ({ entries }) => {
    store.timeline.add(entries)
    store.timelineVersion.value++
  },
  timeline: ({ timeline }) => applyTimeline(timeline),
  cleared: ({ serverId }) => {
    store.timeline.clear(serverId)
    store.timelineVersion.value++
  },
  server: ({ server }) => upsert(store.servers, server.id, server),
  'server-removed': ({ serverId }) => remove(store.servers, serverId),
  inventory: ({ inventory }) => upsert(store.inventories, inventoryId(inventory.serverId, inventory.kind), inventory),
  operation: ({ operation }) => applyOperation(operation),
  question: ({ question }) => upsert(store.questions, question.id, question),
  answers: ({ answers }) => {
    store.answers.value = answers
  },
  calls: ({ calls }) => {
    store.calls.value = calls
  },
  doctor: ({ run }) => upsert(store.doctors, run.serverId, run),
  flow: ({ flow }) => upsert(store.flows, flow.id, flow),
  'flow-removed': ({ flowId }) => remove(store.flows, flowId),
  recording: ({ recording }) => upsert(store.recordings, recording.id, recording),
  replay: ({ run }) => upsert(store.replays, run.id, run),
  model: ({ model }) => {
    store.model.value = model
  },
  'first-view': ({ view }) => {
    store.firstView.value = view
  },
  reloaded: ({ serverId }) => {
    store.reloaded.value = { serverId }
  },
  'view-blocked': ({ viewId, violation }) => reportBlocked(viewId, violation),
}

/** Changes the state as an event says. Events of unknown types are ignored. */
export function applyEvent<Type extends InspectorEvent['type']>(event: InspectorEvent & { type: Type }): void {
  const handle: ((event: InspectorEvent & { type: Type }) => void) | undefined = HANDLERS[event.type]
  if (handle) batch(() => handle(event))
}

/** Returns a list of a server, if the back end has sent it. */
export function inventoryOf<Kind extends InventoryKind>(serverId: string, kind: Kind): InspectorInventory<Kind> | undefined {
  const inventory = store.inventories.value.get(inventoryId(serverId, kind))
  return isOfKind(inventory, kind) ? inventory : undefined
}

const isOfKind = <Kind extends InventoryKind>(
  inventory: InspectorInventory | undefined,
  kind: Kind,
): inventory is InspectorInventory<Kind> => inventory?.kind === kind

/** Returns the open questions of a server, or of all, oldest first. */
export function openQuestions(serverId?: string): InspectorQuestion[] {
  const questions = [...store.questions.value.values()]
  return questions.filter(
    ({ status, ...question }) => status === 'open' && (serverId === undefined || question.serverId === serverId),
  )
}

/** The entries of the questions that are open. */
export const waitingEntries: ReadonlySignal<ReadonlySet<number | undefined>> = computed(
  () => new Set(openQuestions().map(({ entryId }) => entryId)),
)

/** Returns the last operation of a server that satisfies a condition. */
export function lastOperation(serverId: string, matches: (operation: OperationState) => boolean): OperationState | undefined {
  const operations = [...store.operations.value.values()]
  return operations.findLast((operation) => operation.serverId === serverId && matches(operation))
}

/** Returns the last call of a tool that no view asked for. */
export const lastCallOf = (serverId: string, tool: string): OperationState | undefined =>
  lastOperation(
    serverId,
    ({ request, options: { fromView } }) => request.type === 'call-tool' && request.name === tool && !fromView,
  )
