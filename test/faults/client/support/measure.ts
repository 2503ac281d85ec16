import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { within } from '../../support/time.ts'
import type { MemoryChoice, MemoryReport } from '../memory.ts'

/** Lets a client in a process of its own make a call, and measures it. */
export async function measure(choice: MemoryChoice): Promise<MemoryReport> {
  const { stdout } = await within(
    30_000,
    promisify(execFile)(process.execPath, ['--expose-gc', process.env.FAULTS_MEMORY!, JSON.stringify(choice)]),
    'the program that measures',
  )
  return JSON.parse(stdout) as MemoryReport
}
