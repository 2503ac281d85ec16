import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Plugin, rolldown } from 'rolldown'
import { entryPoints } from '../../tools/lib/entrypoints.mjs'

const FOLDER = fileURLToPath(new URL('./build', import.meta.url))
const compiled = new Map<string, Promise<string>>()

/** Bundles a TypeScript program with the sources of the library for a Node process, and returns the path of the bundle. */
export function compileProgram(source: string): Promise<string> {
  if (compiled.size === 0) sweep()
  const path = compiled.get(source) ?? compile(source)
  compiled.set(source, path)
  return path
}

const doorsToSources: Plugin = {
  name: 'entry-points-to-sources',
  resolveId: (id) => entryPoints().find(({ name }) => name === id)?.source ?? null,
}

async function compile(source: string): Promise<string> {
  const hash = createHash('sha256').update(source).digest('hex').slice(0, 8)
  const folder = join(FOLDER, `${process.pid}`, `${basename(source, '.ts')}-${hash}`)
  const build = await rolldown({
    input: { program: source },
    platform: 'node',
    resolve: { mainFields: ['module', 'main'] },
    plugins: [doorsToSources],
    logLevel: 'warn',
    tsconfig: false,
  })
  await build.write({ dir: folder, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' })
  await build.close()
  return join(folder, 'program.mjs')
}

/** Removes the output of earlier test runs: each process has a folder named after its id. */
function sweep(): void {
  mkdirSync(FOLDER, { recursive: true })
  for (const name of readdirSync(FOLDER)) if (!isAlive(Number(name))) rmSync(join(FOLDER, name), { recursive: true, force: true })
}

function isAlive(processId: number): boolean {
  try {
    return Number.isInteger(processId) && process.kill(processId, 0)
  } catch {
    return false
  }
}
