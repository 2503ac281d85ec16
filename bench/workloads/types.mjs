/** The cost of type-checking a file with 200 tools whose schemas are written in zod. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { installPeers } from '../prepare.mjs'
import { toolsFile, WRITERS } from './types-file.mjs'

const FOLDER = fileURLToPath(new URL('../build/types/', import.meta.url))
const tsc = (version) => fileURLToPath(new URL(`../node_modules/typescript-${version}/bin/tsc`, import.meta.url))
const OPTIONS = '--noEmit --strict --skipLibCheck --target es2022 --module nodenext --types node --extendedDiagnostics'.split(' ')
const TOOLS = 200
const FEW = 5

const figure = (output, name) => Number(new RegExp(`^${name}: +([\\d.]+)`, 'm').exec(output)?.[1])

/** Compiles a file and returns the figures of `--extendedDiagnostics`. */
function compile(path, version) {
  const { status, stdout } = spawnSync(process.execPath, [tsc(version), ...OPTIONS, path], { encoding: 'utf8', cwd: FOLDER })
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
      { id: 'input', title: 'with input schemas, TypeScript 7', version: 7, output: false },
      { id: 'both', title: 'with input and output schemas, TypeScript 7', version: 7, output: true },
      { id: 'input6', title: 'with input schemas, TypeScript 6', version: 6, output: false },
      { id: 'both6', title: 'with input and output schemas, TypeScript 6', version: 6, output: true },
    ],
    rounds: 3,
    async open(name) {
      const reason = await installPeers()
      if (reason) throw new Error(reason)
      mkdirSync(FOLDER, { recursive: true })
      return { name, close() {} }
    },
    async measure({ name }, { id, version, output }, { smoke }) {
      const path = `${FOLDER}${name}-${id}.ts`
      writeFileSync(path, toolsFile(name, smoke ? FEW : TOOLS, output))
      return compile(path, version)
    },
  },
]
