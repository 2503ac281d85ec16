import type { OperationState } from '../protocol/operations.ts'
import type { EventHub } from '../state/event-hub.ts'
import type { Timeline } from '../timeline/timeline.ts'

/** The states of operations. Changes are published, those of running operations in batches. */
export interface OperationStates {
  readonly all: readonly OperationState[]
  get(id: string): OperationState | undefined
  add(state: OperationState): void
  update(id: string, change: Partial<OperationState>): void
}

const MAX_KEPT = 500
const MAX_ENTRY_IDS = 100
const PUBLISH_MS = 50

/** Creates the states. Entries of the timeline that belong to an operation are added to it. */
export function createOperationStates(hub: EventHub, timeline: Timeline): OperationStates {
  const states = new Map<string, OperationState>()
  const dirty = new Set<string>()
  let timer: NodeJS.Timeout | undefined

  const publish = (): void => {
    clearTimeout(timer)
    timer = undefined
    const ids = [...dirty]
    dirty.clear()
    for (const id of ids) {
      const operation = states.get(id)
      if (operation) hub.publish({ type: 'operation', operation })
    }
  }
  const update: OperationStates['update'] = (id, change) => {
    const state = states.get(id)
    if (!state) return
    states.set(id, { ...state, ...change })
    dirty.add(id)
    if (change.status) publish()
    else timer ??= setTimeout(publish, PUBLISH_MS).unref()
  }
  /** Forgets the oldest operations. Those of views go first: a view that polls must not push out what a person has called. */
  const forget = (): void => {
    const ended = [...states.values()].filter(({ status }) => status !== 'running')
    const isOfView = ({ options }: OperationState): boolean => options.fromView === true
    for (const { id } of [...ended.filter(isOfView), ...ended.filter((state) => !isOfView(state))])
      if (states.size > MAX_KEPT) states.delete(id)
  }
  timeline.onEntry(({ entry }) => {
    const { operationId, id, type } = entry
    const state = operationId === undefined ? undefined : states.get(operationId)
    if (!state || type === 'progress' || type === 'log' || state.entryIds.length >= MAX_ENTRY_IDS || state.entryIds.includes(id))
      return
    update(state.id, { entryIds: [...state.entryIds, id] })
  })
  return {
    get all() {
      return [...states.values()]
    },
    get: (id) => states.get(id),
    add(state) {
      states.set(state.id, state)
      hub.publish({ type: 'operation', operation: state })
      if (states.size > MAX_KEPT) forget()
    },
    update,
  }
}
