import { appendFileSync, chmodSync, writeFileSync } from 'node:fs'
import type { Middleware } from 'portcall/jsonrpc'
import { usageError } from '../cli-error.ts'

const OWNER_ONLY = 0o600

/** Creates a file and returns middleware that records into it, line by line. Only the user can read the file. @throws CliError */
export async function openRecordingFile(path: string, redact: readonly string[] = []): Promise<Middleware> {
  const { recordMiddleware } = await import('portcall/diagnostics')
  try {
    writeFileSync(path, '', { mode: OWNER_ONLY })
    // The mode above is for a new file only.
    chmodSync(path, OWNER_ONLY)
  } catch (error) {
    throw usageError(`cannot write ${path}: ${(error as NodeJS.ErrnoException).code}`)
  }
  return recordMiddleware({ onLine: (line) => appendFileSync(path, `${line}\n`), redact })
}
