/** Runs the steps of `.ci/run`, which it reads from stdin: groups of lines `SECONDS COMMAND`, separated by empty lines. */
import { spawn } from 'node:child_process'
import { createWriteStream, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ROOT } from './lib/paths.mjs'

const LOGS = join(ROOT, 'results', 'ci')
/** Groups that run at a time. With three, two cores are idle for a third of the time, because many tests wait. */
const LANES = 4
const KILL_AFTER_MS = 10_000
/** How long the output of a step may stay open after its end, held by a process that outlives it. */
const OUTPUT_MS = 1000
const TOTAL = /^(\d+) passed, (\d+) failed$/gm
/** Lines of a step that name what failed, each shown again at the end with the lines after it. */
const FAILURE = /FAILED |\bFAIL\b|FLAKY |Unhandled |⎯ Error/
const LINES_OF_FAILURE = 8
const MAX_FAILURE_LINES = 60
const MAX_LINE_LENGTH = 400

const running = new Set()
let count = 0
const results = []

/** Parses the groups of steps. */
const parse = (text) =>
  text
    .trim()
    .split(/\n\s*\n/)
    .map((group) => group.split('\n').map((line) => /(?<seconds>\d+) (?<command>.+)/.exec(line).groups))

/** Sends a signal to a step and to everything that it has started. */
function signalGroup({ pid }, signal) {
  try {
    process.kill(-pid, signal)
  } catch {
    // All have ended.
  }
}

/** Starts a command with its output in a file. Returns the child, and a promise of its exit code. */
function start(command, file) {
  const output = createWriteStream(file)
  // With CI, a test that fails once is repeated once: machines that build for others can stall for seconds.
  const env = { ...process.env, NO_COLOR: '1', CI: process.env.CI ?? 'true' }
  const child = spawn(command, { cwd: ROOT, env, shell: true, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  for (const stream of [child.stdout, child.stderr]) stream.pipe(output, { end: false })
  const exited = new Promise((resolve) => child.on('exit', (code) => resolve(code ?? 1)))
  const closed = new Promise((resolve) => child.on('close', resolve))
  const ended = exited.then(async (code) => {
    await Promise.race([closed, sleep(OUTPUT_MS)])
    for (const stream of [child.stdout, child.stderr]) stream.destroy()
    await new Promise((resolve) => output.end(resolve))
    return code
  })
  return { child, ended }
}

/** Runs a command for no longer than it may take. Resolves to its exit code and whether it was stopped. */
async function execute({ command, seconds }, file) {
  const { child, ended } = start(command, file)
  running.add(child)
  let stopped = false
  const stop = setTimeout(() => {
    stopped = true
    signalGroup(child, 'SIGTERM')
  }, seconds * 1000)
  const kill = setTimeout(() => signalGroup(child, 'SIGKILL'), seconds * 1000 + KILL_AFTER_MS)
  const code = await ended
  clearTimeout(stop)
  clearTimeout(kill)
  running.delete(child)
  return { code, stopped }
}

/** Returns the lines of an output that say what failed. */
function failureLines(text) {
  const lines = text.split('\n')
  const wanted = new Set()
  for (const [at, line] of lines.entries())
    if (FAILURE.test(line)) for (let next = at; next < at + LINES_OF_FAILURE; next++) wanted.add(next)
  return [...wanted].slice(0, MAX_FAILURE_LINES).map((at) => (lines[at] ?? '').slice(0, MAX_LINE_LENGTH))
}

/** Runs a step and prints its output when it has ended. A step that fails or prints no totals counts as a failure. */
async function run(step) {
  console.log(`--- started: ${step.command}`)
  const started = performance.now()
  const file = join(LOGS, `${count++}.log`)
  const { code, stopped } = await execute(step, file)
  const text = readFileSync(file, 'utf8')
  const total = [...text.matchAll(TOTAL)].at(-1)
  const passed = Number(total?.[1] ?? 0)
  const failed = Number(total?.[2] ?? 0) || (code !== 0 || stopped || !total ? 1 : 0)
  const seconds = ((performance.now() - started) / 1000).toFixed(0)
  const why = [stopped && `stopped after ${step.seconds} s`, !total && 'no totals', code !== 0 && `exit code ${code}`]
  const summary = [`${passed} passed, ${failed} failed in ${seconds} s`, ...why.filter(Boolean)].join(', ')
  console.log(`\n=== ${step.command}\n${text.trimEnd()}\n=== ${step.command}: ${summary}\n`)
  const flaky = text.includes('FLAKY ')
  results.push({ command: step.command, passed, failed, summary, details: failed > 0 || flaky ? failureLines(text) : [] })
}

/** Runs groups until none is left. */
async function lane(groups) {
  for (let group = groups.shift(); group; group = groups.shift()) {
    for (const step of group) await run(step)
  }
}

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    for (const child of running) signalGroup(child, signal)
    process.exit(1)
  })
}

mkdirSync(LOGS, { recursive: true })
const [first, ...groups] = parse(readFileSync(process.stdin.fd, 'utf8'))
await lane([first])
await Promise.all(Array.from({ length: LANES }, () => lane(groups)))

for (const { command, details } of results)
  if (details.length > 0) console.log(`=== ${command} reported:\n${details.join('\n')}\n`)
for (const { command, failed, summary } of results) console.log(`${failed > 0 ? 'FAILED' : 'passed'}  ${command}: ${summary}`)
const sum = (key) => results.reduce((all, result) => all + result[key], 0)
console.log(`\n${sum('passed')} passed, ${sum('failed')} failed`)
process.exitCode = sum('failed') === 0 ? 0 : 1
