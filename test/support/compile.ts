import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Plugin, rolldown } from 'rolldown'
import { doors } from '../../tools/lib/doors.mjs'

const FOLDER = fileURLToPath(new URL('./build', import.meta.url))
const compiled = new Map<string, Promise<string>>()

/** Compiles a TypeScript program, and the sources of the library with it, for a Node process of its own; gives the path. */
export function compileProgram(source: string): Promise<string> {
  const path = compiled.get(source) ?? compile(source)
  compiled.set(source, path)
  return path
}

const doorsToSources: Plugin = {
  name: 'doors-to-sources',
  resolveId: (id) => doors().find(({ name }) => name === id)?.source ?? null,
}

async function compile(source: string): Promise<string> {
  const folder = join(FOLDER, `${createHash('sha256').update(source).digest('hex').slice(0, 8)}-${process.pid}`)
  const build = await rolldown({
    input: { program: source },
    platform: 'node',
    plugins: [doorsToSources],
    logLevel: 'warn',
    tsconfig: false,
  })
  await build.write({ dir: folder, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' })
  await build.close()
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'program.mjs')
}
