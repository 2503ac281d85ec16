import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const TSC = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
const compilerOptions = {
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  module: 'nodenext',
  target: 'es2023',
  types: ['node'],
  paths: { 'portcall/client': ['../../../../packages/portcall/dist/client.d.ts'] },
}

/** A folder for generated modules that TypeScript checks. */
export interface GeneratedModules {
  /** Returns the path of a module to generate. */
  pathOf(name: string): string
  /** Returns what the compiler says about all modules. */
  compile(): string
  remove(): void
}

/** Makes an empty folder for generated modules below `build`. */
export function createGeneratedModules(name: string): GeneratedModules {
  const folder = fileURLToPath(new URL(`../build/${name}/`, import.meta.url))
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  remove()
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  return {
    pathOf: (module) => join(folder, `${module.replaceAll(/\W+/g, '-')}.ts`),
    compile: () => spawnSync(process.execPath, [TSC, '-p', folder], { encoding: 'utf8', maxBuffer: 2 ** 28 }).stdout,
    remove,
  }
}
