import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Options for a folder in which a process that is ending may still write: it adds a file while the others are deleted. */
const DELETE = { recursive: true, force: true, maxRetries: 20 }

/** Creates a folder that is deleted when the test ends; with `afterAll`, when the tests of the file have ended. */
export function temporaryFolder(atEnd: (deleteFolder: () => void) => void = onTestFinished): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'portcall-test-')))
  atEnd(() => rmSync(folder, DELETE))
  return folder
}
