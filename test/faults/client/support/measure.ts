import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { within } from '../../support/time.ts'
import type { MemoryOptions, MemoryReport } from '../memory-program.ts'

/** Makes a call with a client in a child process, and measures it. */
export async function measure(options: MemoryOptions): Promise<MemoryReport> {
  const { stdout } = await within(
    30_000,
    promisify(execFile)(process.execPath, ['--expose-gc', process.env.FAULTS_MEMORY!, JSON.stringify(options)]),
    'the measuring program',
  )
  return JSON.parse(stdout) as MemoryReport
}
