import { appendFile, open, truncate } from 'node:fs/promises'
import { withFileLock } from '../../util/file-lock.ts'
import { type AuditSink, isRecord, notARecord } from './trail.ts'

const TAIL_BYTES = 16 * 1024
const LINE_FEED = 10
const RECORD_START = '{"seq":'
/** The codes of errors about a directory that this process must not write to. */
const READ_ONLY: readonly unknown[] = ['EACCES', 'EROFS']

/**
 * Opens a sink that appends to a file. Each append is flushed to the disk. The file is created for the current user only. Processes that write
 * to the same file take turns, with a lock file next to it; where that cannot be created, only one process may write.
 */
export function createFileSink(path: string): Required<AuditSink> {
  return {
    async append(lines) {
      const file = await open(path, 'a', 0o600)
      try {
        await file.appendFile(lines)
        await file.datasync()
      } finally {
        await file.close()
      }
    },
    last: () => readLastLine(path),
    async exclusive(task) {
      let hasStarted = false
      const run = (): ReturnType<typeof task> => {
        hasStarted = true
        return task()
      }
      try {
        return await withFileLock(`${path}.lock`, run)
      } catch (error) {
        if (hasStarted || !READ_ONLY.includes((error as NodeJS.ErrnoException).code)) throw error
        return task()
      }
    },
  }
}

/** Returns the last line of a file, or undefined if the file is empty or does not exist. */
async function readLastLine(path: string): Promise<string | undefined> {
  for (let length = TAIL_BYTES; ; length *= 2) {
    const { bytes, start } = await readTail(path, length)
    const end = bytes.lastIndexOf(LINE_FEED) + 1
    const isWhole = start === 0
    if (bytes.length === 0) return undefined
    if (end < bytes.length) {
      if (end > 0 || isWhole) await completeLine(path, { text: bytes.toString('utf8', end), position: start + end })
      continue
    }
    const text = bytes.toString('utf8', 0, end - 1)
    const from = text.lastIndexOf('\n') + 1
    if (from > 0 || isWhole) return text.slice(from) || undefined
  }
}

/** The last bytes of a file, and where they start. */
interface FileTail {
  readonly bytes: Buffer
  readonly start: number
}

async function readTail(path: string, length: number): Promise<FileTail> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    return undefined
  })
  if (!file) return { bytes: Buffer.alloc(0), start: 0 }
  try {
    const { size } = await file.stat()
    const start = Math.max(0, size - length)
    const bytes = Buffer.alloc(size - start)
    await file.read(bytes, 0, bytes.length, start)
    return { bytes, start }
  } finally {
    await file.close()
  }
}

interface IncompleteLine {
  readonly text: string
  /** Where the line starts in the file. */
  readonly position: number
}

/** Handles a last line without a line feed: the process that appended it was killed, and nobody was told that the record is stored. */
async function completeLine(path: string, { text, position }: IncompleteLine): Promise<void> {
  if (!text.startsWith(RECORD_START)) throw notARecord()
  if (isRecord(text)) await appendFile(path, '\n')
  else await truncate(path, position)
}
