import { checkOptions, type OptionNames } from '../../../../util/src/check-options.ts'
import { isObject } from '../../jsonrpc/message.ts'
import type { KeyValueStore } from '../../stores/store.ts'
import type { AuditSink } from './trail.ts'

/** Options of `createStoredAuditLog`. */
export interface StoredAuditLogOptions {
  /** Distinguishes this log from others in the same store. Default: `audit`. */
  readonly name?: string
}

/** An audit log in a store. */
export interface StoredAuditLog extends AuditSink {
  /** Returns the lines of the log, in order, for `verifyAuditLog`. */
  lines(): AsyncIterable<string>
}

/** Enough digits for all safe integers, so that keys are in the order of the records. */
const SEQ_DIGITS = 16

const NAMES: OptionNames<StoredAuditLogOptions> = { name: 'text' }

/**
 * Creates an audit log in a store, for `auditLog({ to })`. Several processes may write to it. The store must be large enough for the log: one that
 * evicts old entries removes its beginning.
 */
export function createStoredAuditLog(store: KeyValueStore, options: StoredAuditLogOptions = {}): StoredAuditLog {
  checkOptions('createStoredAuditLog()', options, { names: NAMES })
  const { name = 'audit' } = options
  const prefix = `portcall:${name}:records:`
  // Where the last records begin, or earlier ones. It only saves reading the log from its start.
  const lastKey = `portcall:${name}:last`
  const keyOf = (seq: number): string => prefix + String(seq).padStart(SEQ_DIGITS, '0')

  return {
    /** Records that are stored together have one key. Of several processes that append to the same record, one creates it. */
    async append(lines) {
      const seq = seqOf(lines.slice(0, lines.indexOf('\n')))
      const isStored = await store.compareAndSet(keyOf(seq), { expected: undefined, value: lines })
      if (isStored) await store.set(lastKey, String(seq)).catch(() => {})
      return isStored
    },
    async last() {
      let seq = Number((await store.get(lastKey)) ?? 1)
      let lines = await store.get(keyOf(seq))
      if (lines === undefined && seq > 1) lines = await store.get(keyOf((seq = 1)))
      let last: string | undefined
      for (; lines !== undefined; lines = await store.get(keyOf(seq))) {
        last = lines.trimEnd().split('\n').at(-1) ?? ''
        seq = seqOf(last) + 1
      }
      return last
    },
    async *lines() {
      for (let keys = await store.list(prefix); keys.length > 0; keys = await store.list(prefix, { after: keys.at(-1) ?? '' }))
        for (const key of keys) yield* ((await store.get(key)) ?? '').split('\n').filter(Boolean)
    },
  }
}

/** @throws Error if the line is not a record, because something else writes to the keys of the log. */
function seqOf(line: string): number {
  const record: unknown = JSON.parse(line)
  if (isObject(record) && typeof record.seq === 'number') return record.seq
  throw new Error('The store has an invalid audit record')
}
