/** What the compiler of TypeScript needs for a file with 200 tools, all schemas in zod. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { toolsFile, WRITERS } from './types-file.mjs'

const FOLDER = fileURLToPath(new URL('../build/types/', import.meta.url))
const TSC = createRequire(import.meta.url).resolve('typescript/bin/tsc')
const OPTIONS = '--noEmit --strict --skipLibCheck --target es2022 --module nodenext --types node --extendedDiagnostics'.split(' ')
const TOOLS = 200
const FEW = 5

const figure = (output, name) => Number(new RegExp(`^${name}: +([\\d.]+)`, 'm').exec(output)?.[1])

/** Compiles a file; gives what `--extendedDiagnostics` tells. */
function compile(path) {
  const { status, stdout } = spawnSync(process.execPath, [TSC, ...OPTIONS, path], { encoding: 'utf8', cwd: FOLDER })
  if (status !== 0) throw new Error(`${path} does not compile: ${stdout.slice(0, 500)}`)
  return { instantiations: figure(stdout, 'Instantiations'), checkSeconds: figure(stdout, 'Check time') }
}

export const TYPES = [
  {
    id: 'types',
    title: 'Type check of a file with 200 tools',
    columns: ['instantiations', 'checkSeconds'],
    subjects: Object.keys(WRITERS),
    cells: [
      { id: 'input', title: 'with input schemas', output: false },
      { id: 'both', title: 'with input and output schemas', output: true },
    ],
    rounds: 3,
    open(name) {
      mkdirSync(FOLDER, { recursive: true })
      return { name, close() {} }
    },
    async measure({ name }, { id, output }, { smoke }) {
      const path = `${FOLDER}${name}-${id}.ts`
      writeFileSync(path, toolsFile(name, smoke ? FEW : TOOLS, output))
      return compile(path)
    },
  },
]
