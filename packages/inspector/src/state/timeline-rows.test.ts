import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { HttpEntry, MessageEntry, StderrEntry, TimelineEntry } from './protocol.ts'
import { createTimeline, type Timeline } from './timeline.ts'
import { createRowList, type RowList, type TimelineFilter } from './timeline-rows.ts'

const ALL: TimelineFilter = { hidden: new Set(), text: '', onlyProblems: false, pinned: new Set() }
const never = (): boolean => false

const message = (id: number, seq: number, entry: Partial<MessageEntry>): MessageEntry => ({
  type: 'message',
  id,
  seq,
  serverId: 's1',
  time: id,
  direction: 'out',
  messageKind: 'request',
  method: 'tools/call',
  bytes: 1,
  text: `text ${id}`,
  isTruncated: false,
  ...entry,
})

/** A change of a timeline. Numbers are chosen among the entries so far. */
type Change =
  | { readonly kind: 'request' | 'child' | 'stderr'; readonly of: number; readonly server: string }
  | { readonly kind: 'answer' | 'http' | 'update' | 'drop'; readonly of: number }
  | { readonly kind: 'clear'; readonly server: string }

const server = fc.constantFrom('s1', 's2')
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ kind: fc.constantFrom('request', 'child', 'stderr'), of: fc.nat(), server }),
  fc.record({ kind: fc.constantFrom('answer', 'http', 'update', 'drop'), of: fc.nat() }),
  fc.record({ kind: fc.constant('clear'), server }),
)

/** Applies a change as the back end would. Returns the next free id. */
function apply(change: Change, timeline: Timeline, [id, seq]: readonly [number, number]): number {
  if (change.kind === 'clear') timeline.clear(change.server)
  const { entries } = timeline
  const chosen = 'of' in change ? entries[change.of % Math.max(1, entries.length)] : undefined
  const request = chosen?.type === 'message' && chosen.messageKind === 'request' ? chosen : undefined
  const add = (...added: TimelineEntry[]): number => {
    timeline.add(added)
    return Math.max(id, ...added.map((entry) => entry.id + 1))
  }
  switch (change.kind) {
    case 'request':
      return add(message(id, seq, { serverId: change.server, httpId: id }))
    case 'stderr':
      return add({ type: 'stderr', id, seq, serverId: change.server, time: id, text: 'line' } satisfies StderrEntry)
    case 'child':
      if (!request) return id
      return add(message(id, seq, { messageKind: 'notification', serverId: request.serverId, parentId: request.id }))
    case 'answer':
      if (!request || request.pairId !== undefined) return id
      return add(
        { ...request, seq, pairId: id },
        message(id, seq, { messageKind: 'response', serverId: request.serverId, pairId: request.id }),
      )
    case 'http': {
      if (request?.httpId === undefined) return id
      const { httpId, serverId } = request
      const known = timeline.http(httpId)
      const http: HttpEntry = {
        type: 'http',
        id: known?.id ?? id,
        seq,
        serverId,
        time: id,
        httpId,
        purpose: 'mcp',
        method: 'POST',
        url: 'http://a/',
        requestHeaders: {},
        state: 'done',
        status: known ? 500 : 200,
      }
      return add(http)
    }
    case 'update':
      return chosen ? add({ ...chosen, seq }) : id
    default:
      if (chosen) timeline.dropBefore(chosen.id)
      return id
  }
}

function completeRows(list: RowList, filter: TimelineFilter): RowList['rows'] {
  while (!list.update(filter, () => true));
  return list.rows
}

test('rows that are updated step by step equal those that are made at once', () => {
  const filter = fc.constantFrom<TimelineFilter>(
    ALL,
    { ...ALL, serverId: 's2' },
    { ...ALL, text: 'text 1' },
    { ...ALL, hidden: new Set(['requests']) },
  )
  fc.assert(
    fc.property(fc.array(change, { maxLength: 60, size: 'max' }), filter, (changes, shown) => {
      const timeline = createTimeline()
      const list = createRowList(timeline)
      let id = 1
      for (const [seq, one] of changes.entries()) {
        id = apply(one, timeline, [id, seq])
        const rows = completeRows(list, shown)
        const anew = createRowList(timeline)
        anew.update(shown, never)
        expect(rows).toEqual(anew.rows)
      }
    }),
  )
})

test('an update stops when it is late, and goes on where it stopped', () => {
  const timeline = createTimeline()
  const list = createRowList(timeline)
  timeline.add(Array.from({ length: 10 }, (_, at) => message(at + 1, 1, {})))
  let made = 0
  const isComplete = list.update(ALL, () => ++made === 4)
  expect([isComplete, list.isPartial, list.rows.length]).toEqual([false, true, 4])
  expect([list.update(ALL, never), list.isPartial, list.rows.length]).toEqual([true, false, 10])
})

test('a new message costs the same however many there are', () => {
  const timeline = createTimeline()
  const list = createRowList(timeline)
  timeline.add(Array.from({ length: 1000 }, (_, at) => message(at + 1, 1, {})))
  list.update(ALL, never)
  timeline.add([
    message(1001, 2, { messageKind: 'notification', parentId: 7 }),
    message(1002, 2, { pairId: 5, messageKind: 'response' }),
  ])
  expect([...timeline.changed].sort((a, b) => a - b)).toEqual([5, 7, 1001, 1002])
})

test('clearing one server keeps the entries of the others', () => {
  const timeline = createTimeline()
  const list = createRowList(timeline)
  timeline.add([message(1, 1, {}), message(2, 1, { serverId: 's2' }), message(3, 1, {})])
  list.update(ALL, never)
  timeline.clear('s1')
  list.update(ALL, never)
  expect(list.rows.map(({ entry }) => entry.id)).toEqual([2])
})
