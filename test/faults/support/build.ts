import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compileProgram } from '../../support/compile.ts'

/** The programs that tests start, by the environment variables with their paths. */
const PROGRAMS = {
  FAULTS_SERVER: '../server.ts',
  FAULTS_HOST: '../client/host-program.ts',
  FAULTS_MEMORY: '../client/memory-program.ts',
  FAULTS_CALLER: '../auth/caller.ts',
}

/** Builds the programs once for all files. */
export async function setup(): Promise<() => void> {
  const built: string[] = []
  for (const [variable, source] of Object.entries(PROGRAMS)) {
    const path = await compileProgram(fileURLToPath(new URL(source, import.meta.url)), { startsOften: true })
    process.env[variable] = path
    built.push(dirname(path))
  }
  return () => {
    for (const folder of built) rmSync(folder, { recursive: true, force: true })
  }
}
