import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { filesBelow } from './files.mjs'
import { ROOT, readText, shown } from './paths.mjs'

/** An example shows one feature and fits on a screen. Folders below examples/ are programs, which may be longer. */
const MOST_LINES = 60
const FEWEST_FILES = 25

const FOLDER = join(ROOT, 'examples')

/** Returns the example files. */
export const examples = () =>
  readdirSync(FOLDER)
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(FOLDER, name))

/** Returns what is wrong with the examples: too few, too long, or not run by a test. */
export function exampleFaults() {
  const tests = filesBelow(join(ROOT, 'test'), '.test.ts').map(readText).join('\n')
  const isRun = (name) =>
    [`examples/${name}.ts'`, `run('${name}'`, `example('${name}'`, `startExample('${name}'`, `startServer('${name}'`].some(
      (use) => tests.includes(use),
    )
  const all = examples()
  return [
    ...(all.length < FEWEST_FILES ? [`${all.length} examples, at least ${FEWEST_FILES}`] : []),
    ...all.flatMap((path) => {
      const lines = readText(path).trimEnd().split('\n').length
      return lines > MOST_LINES ? [`${shown(path)}: ${lines} lines, at most ${MOST_LINES}`] : []
    }),
    ...all.filter((path) => !isRun(basename(path, '.ts'))).map((path) => `${shown(path)}: no test runs it`),
  ]
}
