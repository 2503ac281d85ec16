import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compileProgram } from '../../support/compile.ts'

/** Builds the server once for all files; where it is, is said in `FAULTS_SERVER`. */
export async function setup(): Promise<() => void> {
  const built = await compileProgram(fileURLToPath(new URL('../server.ts', import.meta.url)))
  process.env.FAULTS_SERVER = built
  return () => rmSync(dirname(built), { recursive: true, force: true })
}
