/** Packs the library, installs the tarball in an empty project, and compiles the programs of all pages and tasks there. */
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import { runNode, runNpm } from '../../tools/lib/run.mjs'
import { blocksOf } from './support/page.ts'
import { type Program, programs } from './support/programs.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The packed library. */
    tarball: string
    /** The folder with the compiled programs. */
    project: string
    programs: Program[]
    /** The output of the compiler. */
    compilerErrors: string
  }
}

const HERE = fileURLToPath(new URL('.', import.meta.url))
const PACKAGE = join(HERE, '../../packages/portcall')
/** Below this folder, other packages resolve to those of test/newcomer. The library resolves to the tarball. */
const BUILD = join(HERE, 'build')
const PROJECT = join(BUILD, 'project')

export default function setup({ provide }: TestProject): void {
  rmSync(BUILD, { recursive: true, force: true })
  mkdirSync(PROJECT, { recursive: true })
  run(['pack', '--silent', '--pack-destination', BUILD], PACKAGE)
  const tarball = join(BUILD, readdirSync(BUILD).find((name) => name.endsWith('.tgz')) ?? '')
  writeFileSync(join(PROJECT, 'package.json'), '{ "private": true, "type": "module" }')
  run(['install', tarball, '--offline', '--no-audit', '--no-fund'], PROJECT)
  const all = programs()
  for (const { path, code } of all) save(path, code)
  cpSync(join(HERE, 'tasks'), join(PROJECT, 'tasks'), { recursive: true })
  save('tsconfig.json', recommendedSettings())
  provide('tarball', tarball)
  provide('project', PROJECT)
  provide('programs', all)
  provide('compilerErrors', compile())
}

function run(args: string[], cwd: string): void {
  const { ok, output } = runNpm(args, { cwd, quiet: true })
  if (!ok) throw new Error(output)
}

function save(path: string, text: string): void {
  mkdirSync(dirname(join(PROJECT, path)), { recursive: true })
  writeFileSync(join(PROJECT, path), text)
}

/** The settings that the installation page recommends. */
function recommendedSettings(): string {
  const block = blocksOf('docs/get-started/installation.md').find(({ name }) => name === 'tsconfig.json')
  if (!block) throw new Error('docs/get-started/installation.md shows no tsconfig.json')
  return block.code
}

/** Programs of several files may import each other as `./x.ts`, which newer versions of Node.js run without compiling. */
const OPTIONS = ['--rewriteRelativeImportExtensions', '--pretty', 'false']

function compile(): string {
  const compiler = join(HERE, 'node_modules/typescript/bin/tsc')
  return runNode([compiler, '-p', '.', ...OPTIONS], { cwd: PROJECT, quiet: true }).output.trim()
}
