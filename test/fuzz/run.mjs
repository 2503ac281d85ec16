/**
 * `npm run fuzz [-- [--seconds N] [--keep] [TARGET …]]`: passes foreign bytes to the parsers. First every input of the corpus, then for N seconds
 * each (default: 10) inputs that a coverage-guided fuzzer finds. `--keep` adds those that reach more code to the corpus.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { install } from '../../tools/lib/install.mjs'
import { shown } from '../../tools/lib/paths.mjs'
import { buildTargets, TARGETS } from './build.mjs'
import { readCorpus, readInputs, unpackCorpus, writeCorpus } from './corpus.mjs'
import { DIST, FOLDER, RESULTS } from './places.mjs'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: 'string', default: '10' }, keep: { type: 'boolean', default: false } },
})
const seconds = Number(values.seconds)
const targets = positionals.length === 0 ? TARGETS : positionals
const require = createRequire(import.meta.url)

/** The program that runs the fuzzer. Its native part needs glibc 2.38; where that is missing, name a Node that has it. */
const NODE = process.env.FUZZ_NODE ?? process.execPath
const JAZZER = join(FOLDER, 'node_modules', '@jazzer.js', 'core', 'dist', 'cli.js')

/** The validator of JSON Schemas generates code, which quotes names in the schema. The fuzzer would report every name in generated code. */
const DETECTORS = ['--disableBugDetectors', 'remote-code-execution']

/** Inputs kept for each target at most, the shortest first. */
const MAX_KEPT = 400
const MAX_KEPT_BYTES = 1000

/** Runs a target on its corpus. Returns the errors. */
async function replay(target) {
  const { fuzz } = require(join(DIST, `${target}.cjs`))
  const errors = []
  for (const input of readCorpus(target))
    try {
      await fuzz(input)
    } catch (error) {
      errors.push(`${input.toString('base64')}: ${error}`)
    }
  return errors
}

/** Runs libFuzzer with these arguments on the folders. */
function runFuzzer(target, folders, args) {
  const script = join(DIST, `${target}.cjs`)
  const isAsync = require(script).fuzz.constructor.name === 'AsyncFunction'
  const command = [JAZZER, script, ...folders, '-i', DIST, ...(isAsync ? [] : ['--sync']), ...DETECTORS, '--', ...args]
  return spawnSync(NODE, command, { cwd: FOLDER, encoding: 'utf8', maxBuffer: 1 << 28 })
}

/** Returns why the fuzzer cannot run here, if so. */
function whyNot() {
  const { status, stderr } = spawnSync(NODE, ['-e', "require('@jazzer.js/fuzzer')"], { cwd: FOLDER, encoding: 'utf8' })
  return status === 0 ? undefined : (/Error: (.*)/.exec(stderr)?.[1] ?? stderr)
}

/** Fuzzes a target. Returns whether nothing was found. */
function fuzzTarget(target) {
  const [seeds, found] = [join(RESULTS, target, 'seeds'), join(RESULTS, target, 'found')]
  unpackCorpus(target, seeds)
  mkdirSync(found, { recursive: true })
  const artifacts = `${join(RESULTS, target)}/`
  const limits = [`-max_total_time=${seconds}`, '-timeout=20', '-rss_limit_mb=3000', `-artifact_prefix=${artifacts}`]
  const { status, stderr } = runFuzzer(target, [found, seeds], limits)
  const [summary = ''] = /^Done .*$/m.exec(stderr) ?? []
  const coverage = [...stderr.matchAll(/cov: (\d+) ft: (\d+) corp: (\d+)/g)].at(-1)?.slice(1) ?? []
  console.error(`${target}: ${summary} (${coverage[0]} edges, ${coverage[2]} inputs)`)
  if (status !== 0) {
    console.error(stderr.split('\n').slice(-60).join('\n'))
    const inputs = readdirSync(artifacts).filter((name) => /^(crash|timeout|oom)-/.test(name))
    console.error(
      `!!! ${target} failed with exit code ${status}; inputs: ${inputs.map((name) => shown(artifacts + name)).join(', ')}`,
    )
  }
  if (status === 0 && values.keep) keep(target, found)
  return status === 0
}

/** Adds the inputs that reached more code to the corpus. */
function keep(target, folder) {
  const inputs = [...readCorpus(target), ...readInputs(folder)].filter(({ length }) => length <= MAX_KEPT_BYTES)
  writeCorpus(target, inputs.sort((a, b) => a.length - b.length).slice(0, MAX_KEPT))
}

install(FOLDER)
await buildTargets()
let [passed, failed] = [0, 0]
const count = (ok) => (ok ? passed++ : failed++)
for (const target of targets) {
  const errors = await replay(target)
  for (const error of errors) console.error(`!!! ${target}: ${error}`)
  count(errors.length === 0)
}
const reason = seconds > 0 ? whyNot() : 'no time was given'
if (reason === undefined) for (const target of targets) count(fuzzTarget(target))
else console.error(`!!! SKIPPED: the fuzzer does not run (${reason}); the corpus was replayed`)
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
