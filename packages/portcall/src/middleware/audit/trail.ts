import { sha256 } from '../../../../util/src/digest.ts'
import { delay } from '../../../../util/src/timers.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'

/** Where the lines of an audit log are stored. */
export interface AuditSink {
  /**
   * Appends lines, each ending with a line feed. Resolves when they are stored. Called again only after that. If several processes write to the
   * log, it stores nothing and resolves to false if another one has appended since `last` was called; then both are called again.
   */
  append(lines: string): Promise<void | boolean>
  /** Resolves to the last line that is stored, without its line feed; undefined if there is none. Called before the first append. */
  last(): Promise<string | undefined>
}

/** Appends records to an audit log. */
export interface AuditTrail {
  /** Appends a record and resolves when it is stored. @throws what the sink throws. */
  append(record: JsonObject): Promise<void>
}

interface PendingRecord {
  readonly record: JsonObject
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/** The end of the chain: the sequence number and the hash of the last record. */
interface ChainEnd {
  readonly seq: number
  readonly hash: string
}

/** The hash before the first record. */
const GENESIS = ''
/** The longest pause before records are chained to those of another process that was faster. */
const MAX_CONFLICT_DELAY_MS = 10
const HASH_MEMBER = /,"hash":"([\w-]{43})"\}$/

/** Reports whether a line is a complete record. */
export const isRecord = (line: string): boolean => HASH_MEMBER.test(line)

/**
 * Creates an audit trail whose records form a hash chain: each has a sequence number (`seq`), the hash of the record before it (`previous`)
 * and its own (`hash`), so that a record that was changed, removed or moved is detected. Records are stored in the order of the calls; those
 * that arrive while the sink is busy are stored together.
 */
export function createAuditTrail(sink: AuditSink): AuditTrail {
  let pending: PendingRecord[] = []
  let end: Promise<ChainEnd> | undefined
  let isWriting = false

  const write = async (batch: readonly PendingRecord[]): Promise<void> => {
    for (;;) {
      end ??= sink.last().then(readEnd)
      const chained = await chainAll(batch, await end)
      if ((await sink.append(chained.lines)) !== false) return void (end = Promise.resolve(chained.end))
      end = undefined
      await delay(Math.random() * MAX_CONFLICT_DELAY_MS)
    }
  }
  const writeAll = async (): Promise<void> => {
    isWriting = true
    while (pending.length > 0) {
      const batch = pending
      pending = []
      await write(batch).then(
        () => {
          for (const { resolve } of batch) resolve()
        },
        (error: unknown) => {
          // Part of the batch may have been stored, so the end of the chain is read again.
          end = undefined
          for (const { reject } of batch) reject(error)
        },
      )
    }
    isWriting = false
  }
  return {
    append: (record) =>
      new Promise((resolve, reject) => {
        pending.push({ record, resolve, reject })
        if (!isWriting) void writeAll()
      }),
  }
}

/** Returns the lines of records, and the end of the chain after them. */
async function chainAll(batch: readonly PendingRecord[], end: ChainEnd): Promise<{ lines: string; end: ChainEnd }> {
  let { seq, hash } = end
  let lines = ''
  for (const { record } of batch) {
    const line = await chain(record, { seq, hash })
    lines += `${line.text}\n`
    seq++
    hash = line.hash
  }
  return { lines, end: { seq, hash } }
}

/** Returns the line of a record, and its hash: that of the line without the member `hash`. */
async function chain(record: JsonObject, { seq, hash: previous }: ChainEnd): Promise<{ text: string; hash: string }> {
  const text = JSON.stringify({ seq: seq + 1, ...record, previous })
  const hash = await sha256(text)
  return { text: `${text.slice(0, -1)},"hash":"${hash}"}`, hash }
}

/** @throws Error if the last line is not a record. */
function readEnd(line: string | undefined): ChainEnd {
  if (line === undefined) return { seq: 0, hash: GENESIS }
  const hash = HASH_MEMBER.exec(line)?.[1]
  const seq = hash && Number((JSON.parse(line) as JsonObject).seq)
  if (!hash || !seq) throw new Error('The last line of the audit log is not a record. Move the file away to begin a new log')
  return { seq, hash }
}

/** The outcome of `verifyAuditLog`. */
export type AuditVerdict =
  | {
      /** True if the chain is intact. */
      readonly intact: true
      /** The number of records. */
      readonly records: number
      /** The hash of the last record; empty if there is none. */
      readonly hash: string
    }
  | {
      /** True if the chain is intact. */
      readonly intact: false
      /** The number of intact records before the first that is not. */
      readonly records: number
      /** The fault in the line after them. */
      readonly reason: string
    }

/** Options of `verifyAuditLog`. */
export interface AuditVerification {
  /** The hash of a record that the log must have: the last one, when it was verified before. */
  readonly hash?: string
}

/**
 * Verifies the hash chain of an audit log, line by line. Records that are missing at the end leave a chain that is intact: keep the `hash` of each
 * verdict elsewhere, and pass it next time.
 */
export async function verifyAuditLog(
  lines: Iterable<string> | AsyncIterable<string>,
  { hash }: AuditVerification = {},
): Promise<AuditVerdict> {
  let end: ChainEnd = { seq: 0, hash: GENESIS }
  let isFound = hash === undefined
  for await (const line of lines) {
    const next = await verifyLine(line, end)
    if (typeof next === 'string') return { intact: false, records: end.seq, reason: next }
    end = next
    isFound ||= end.hash === hash
  }
  if (!isFound) return { intact: false, records: end.seq, reason: 'Records are missing: none has the hash that was expected' }
  return { intact: true, records: end.seq, hash: end.hash }
}

/** Returns the new end of the chain, or what is wrong with the line. */
async function verifyLine(line: string, end: ChainEnd): Promise<ChainEnd | string> {
  const hash = HASH_MEMBER.exec(line)?.[1]
  if (!hash) return 'It is not a record'
  const text = line.replace(HASH_MEMBER, '}')
  if ((await sha256(text)) !== hash) return 'It was changed'
  const { seq, previous } = JSON.parse(text) as JsonObject
  if (seq !== end.seq + 1 || previous !== end.hash) return 'Records before it were removed or moved'
  return { seq, hash }
}
