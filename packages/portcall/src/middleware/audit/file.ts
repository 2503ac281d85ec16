import { open } from 'node:fs/promises'
import type { AuditSink } from './trail.ts'

const TAIL_BYTES = 64 * 1024

/** Opens a sink that appends to a file. Each append is flushed to the disk. The file is created for the current user only. */
export function createFileSink(path: string): AuditSink {
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
  }
}

/** Returns the last line of a file, or undefined if the file is empty or does not exist. */
async function readLastLine(path: string): Promise<string | undefined> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    return undefined
  })
  if (!file) return undefined
  try {
    const { size } = await file.stat()
    for (let length = TAIL_BYTES; ; length *= 2) {
      const start = Math.max(0, size - length)
      const buffer = Buffer.alloc(size - start)
      await file.read(buffer, 0, buffer.length, start)
      const text = buffer.toString('utf8').replace(/\n$/, '')
      const line = text.slice(text.lastIndexOf('\n') + 1)
      if (line.length < text.length || start === 0) return line || undefined
    }
  } finally {
    await file.close()
  }
}
