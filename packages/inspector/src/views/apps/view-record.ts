import type { DroppedCspEntry } from '../../../../portcall/src/apps/host/csp.ts'
import type { OfferedFile } from '../../../../portcall/src/apps/host/downloads.ts'
import type { AppEvent, ViewContent } from '../../../../portcall/src/apps/host/types.ts'
import type { BlockedByPolicy } from '../../state/protocol.ts'

/** The things that a view did, as far as a person wants to see them. */
export interface ViewRecord {
  /** The state of the view. */
  readonly state: string
  /** True if it cannot be shown. */
  readonly hasFailed?: boolean
  /** The height that it reported, px. */
  readonly height?: number
  /** Messages for the conversation. */
  readonly messages: readonly ViewContent[]
  /** The data for the model that it sent last. */
  readonly context?: ViewContent
  /** Addresses that it wanted to open. */
  readonly links: readonly string[]
  /** Files that it offered. */
  readonly files: readonly OfferedFile[]
  /** Messages that were refused, with the reason. */
  readonly refused: readonly Counted[]
  /** Exceptions that the view did not catch, and errors in its console. */
  readonly errors: readonly Counted[]
  /** Entries of its policy that count for nothing. */
  readonly dropped: readonly DroppedCspEntry[]
  /** Blocked by its policy. */
  readonly blocked: readonly BlockedByPolicy[]
  /** Browser features that it asked for, and that the inspector does not give. */
  readonly permissions: readonly string[]
}

/** A text, and how often it came. */
export interface Counted {
  readonly text: string
  readonly count: number
}

/** The record of a view that did nothing yet. */
export const NO_RECORD: ViewRecord = {
  state: 'waiting',
  messages: [],
  links: [],
  files: [],
  refused: [],
  errors: [],
  dropped: [],
  blocked: [],
  permissions: [],
}

/** A view can send without end. */
const MOST = 50

/** Returns a list with one more item. The oldest ones are dropped. */
export const withItem = <T>(list: readonly T[], item: T): readonly T[] => [...list.slice(1 - MOST), item]

/** Counts a text. */
function countedWith(list: readonly Counted[], text: string): readonly Counted[] {
  const isKnown = list.some((one) => one.text === text)
  return isKnown
    ? list.map((one) => (one.text === text ? { text, count: one.count + 1 } : one))
    : withItem(list, { text, count: 1 })
}

/** Returns the record after an event. */
export function recordEvent(record: ViewRecord, event: AppEvent): ViewRecord {
  if (event.type === 'state') return { ...record, state: event.state, ...(event.state === 'ready' && { hasFailed: false }) }
  if (event.type === 'error' && record.state !== 'ready') return { ...record, hasFailed: true }
  if (event.type === 'size' && event.height !== undefined) return { ...record, height: event.height }
  if (event.type === 'csp') return { ...record, dropped: event.dropped }
  if (event.type === 'refused')
    return { ...record, refused: countedWith(record.refused, `${event.method ?? 'A message'}: ${event.reason}`) }
  if (event.type === 'view-error') return { ...record, errors: countedWith(record.errors, event.text) }
  return record
}
