import type { Message, RequestId } from 'portcall/jsonrpc'
import type { RecordingEntry } from 'portcall/testing'
import { createRedactor } from '../../../portcall/src/recording/redact.ts'
import { parseJson } from '../../../util/src/parse-json.ts'
import type { StoredEntry, Timeline } from '../timeline/timeline.ts'

/** Turns messages of the timeline into lines of a recording of `portcall/testing`, without secrets. */
export interface LineWriter {
  /** Returns the line of an entry, or `undefined` if it is no message. */
  lineOf(stored: StoredEntry): string | undefined
}

/** Creates a writer whose times are relative to the first entry. */
export function createLineWriter(timeline: Timeline): LineWriter {
  const redact = createRedactor()
  let startedAt: number | undefined
  return {
    lineOf(stored) {
      const { entry, details } = stored
      if (entry.type !== 'message') return undefined
      startedAt ??= entry.time
      const message = parseJson(details.text ?? entry.text) as Message | undefined
      const owner = entry.parentId === undefined ? undefined : timeline.get(entry.parentId)?.entry
      const ownerId = owner?.type === 'message' && entry.messageKind !== 'response' ? owner.rpcId : undefined
      const line: RecordingEntry = {
        time: Math.max(0, Math.round(1000 * (entry.time - startedAt)) / 1000),
        direction: entry.direction === 'out' ? 'sent' : 'received',
        ...(message === undefined ? { unreadable: 'syntax' } : { message: redact(message) as Message }),
        ...(isInner(entry.messageKind, entry.direction) && ownerId !== undefined && { for: ownerId as RequestId }),
      }
      return JSON.stringify(line)
    },
  }
}

/** Reports whether a message says which request it belongs to: notifications and requests of the server. */
function isInner(kind: string, direction: 'out' | 'in'): boolean {
  return direction === 'in' && (kind === 'notification' || kind === 'request')
}
