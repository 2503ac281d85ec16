import { Buffer } from 'node:buffer'
import { type FileHandle, open } from 'node:fs/promises'
import { withFileLock } from '../../../../util/src/file-lock.ts'
import { type AuditSink, isRecord } from './trail.ts'

const TAIL_BYTES = 64 * 1024
const LINE_FEED = 10
const RECORD_START = '{"seq":'
/** The errors of a folder in which this process may not create a lock file. */
const NO_LOCK_CODES = new Set(['EACCES', 'EROFS'])

/**
 * Opens a sink that appends to a file. Each append is flushed to the disk. The file is created for the current user only. Several processes may
 * write to it, if they may create a lock file next to it.
 */
export function createFileSink(path: string): AuditSink {
  /** The size of the file after the last line that this process knows. */
  let knownSize = 0
  const withLock = <T>(task: () => Promise<T>): Promise<T> => {
    let isLocked = false
    const run = (): Promise<T> => {
      isLocked = true
      return task()
    }
    return withFileLock(`${path}.lock`, run).catch((error: NodeJS.ErrnoException) => {
      if (isLocked || !NO_LOCK_CODES.has(String(error.code))) throw error
      return task()
    })
  }
  const appendTo = async (file: FileHandle, lines: string): Promise<boolean> => {
    const { size } = await file.stat()
    if (size !== knownSize) return false
    try {
      await file.appendFile(lines)
      await file.datasync()
    } catch (error) {
      // Part of a line at the end would prevent further records.
      await file.truncate(size).catch(() => {})
      throw error
    }
    knownSize = size + Buffer.byteLength(lines)
    return true
  }
  return {
    append: (lines) => withLock(() => withFile(path, 'a', (file) => appendTo(file, lines))),
    last: () =>
      withLock(async () => {
        knownSize = 0
        return withFile(path, 'r+', async (file) => {
          const line = await readLastRecord(file)
          knownSize = (await file.stat()).size
          return line
        }).catch((error: NodeJS.ErrnoException) => {
          if (error.code !== 'ENOENT') throw error
          return undefined
        })
      }),
  }
}

async function withFile<T>(path: string, flags: string, use: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path, flags, 0o600)
  try {
    return await use(file)
  } finally {
    await file.close()
  }
}

/**
 * Returns the last line of a file, or undefined if the file is empty. A record without a line feed is completed, or removed if it is only a part:
 * the process that appended it was killed, and nobody was told that the record is stored.
 */
async function readLastRecord(file: FileHandle): Promise<string | undefined> {
  const { text, end, position, isComplete } = await readLastLine(file)
  if (isComplete || !text.startsWith(RECORD_START)) return text || undefined
  if (isRecord(text)) {
    await file.write('\n', end)
    return text
  }
  await file.truncate(position)
  return readLastRecord(file)
}

interface Line {
  readonly text: string
  /** Where the line starts in the file. */
  readonly position: number
  /** The size of the file. */
  readonly end: number
  /** True if a line feed follows. */
  readonly isComplete: boolean
}

async function readLastLine(file: FileHandle): Promise<Line> {
  const { size } = await file.stat()
  for (let length = TAIL_BYTES; ; length *= 2) {
    const start = Math.max(0, size - length)
    const bytes = Buffer.alloc(size - start)
    await file.read(bytes, 0, bytes.length, start)
    const isComplete = bytes.at(-1) === LINE_FEED
    const end = bytes.length - Number(isComplete)
    const from = bytes.subarray(0, end).lastIndexOf(LINE_FEED) + 1
    if (from > 0 || start === 0) return { text: bytes.toString('utf8', from, end), position: start + from, end: size, isComplete }
  }
}
