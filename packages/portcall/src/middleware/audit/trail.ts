import type { JsonObject } from '../../jsonrpc/message.ts'
import { sha256 } from '../../util/digest.ts'

/** Where the lines of an audit log are stored. */
export interface AuditSink {
  /** Appends lines, each ending with a line feed. Resolves when they are stored. Called again only after that. */
  append(lines: string): Promise<void>
  /**
   * Resolves to the last line that is stored, without its line feed; undefined if there is none. Called before the first append; with
   * `exclusive`, before each.
   */
  last(): Promise<string | undefined>
  /** Runs a task while no other process appends. Default: only one process appends. */
  exclusive?<T>(task: () => Promise<T>): Promise<T>
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

/** Reports whether a line is a complete record. */
export function isRecord(line: string): boolean {
  return HASH_MEMBER.test(line)
}

/** Returns the error of a log that cannot be continued. */
export function notARecord(): Error {
  return new Error('The last line of the audit log is not a record. Move the file away to begin a new log')
}

/** The hash before the first record. */
const GENESIS = ''
const HASH_MEMBER = /,"hash":"([\w-]{43})"\}$/

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
    if (sink.exclusive) end = undefined
    end ??= sink.last().then(readEnd)
    let { seq, hash } = await end
    let lines = ''
    for (const { record } of batch) {
      const line = await chain(record, { seq, hash })
      lines += `${line.text}\n`
      seq++
      hash = line.hash
    }
    await sink.append(lines)
    end = Promise.resolve({ seq, hash })
  }
  const writeAll = async (): Promise<void> => {
    isWriting = true
    while (pending.length > 0) {
      const batch = pending
      pending = []
      const stored = sink.exclusive ? sink.exclusive(() => write(batch)) : write(batch)
      await stored.then(
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
  if (!hash || !seq) throw notARecord()
  return { seq, hash }
}

/** The outcome of `verifyAuditLog`. */
export type AuditVerdict =
  | {
      /** Whether the chain is intact. */
      readonly intact: true
      /** The number of records. */
      readonly records: number
    }
  | {
      /** Whether the chain is intact. */
      readonly intact: false
      /** The number of intact records before the first that is not. */
      readonly records: number
      /** What is wrong with the line after them. */
      readonly reason: string
    }

/** Verifies the hash chain of an audit log, line by line. It cannot detect that records are missing at the end: keep the last hash elsewhere. */
export async function verifyAuditLog(lines: Iterable<string> | AsyncIterable<string>): Promise<AuditVerdict> {
  let end: ChainEnd = { seq: 0, hash: GENESIS }
  for await (const line of lines) {
    const next = await verifyLine(line, end)
    if (typeof next === 'string') return { intact: false, records: end.seq, reason: next }
    end = next
  }
  return { intact: true, records: end.seq }
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
