/**
 * `node program.js SECONDS SEED`: sends the same bytes to a server with the fast path and to one without it, first the corpus, then random
 * requests. Prints a line of JSON: the number of cases and of executed calls, and the cases on which the servers disagree.
 */
import process from 'node:process'
import type { Case } from './case.ts'
import { CORPUS, type KnownCase } from './corpus.ts'
import { createCases } from './requests.ts'
import { type Attempt, type Outcome, type PathResponse, type Side, startSide } from './side.ts'

const [seconds = 10, seed = 1] = process.argv.slice(2).map(Number)

/** Cases that run at the same time, each on two servers of its own. */
const WORKERS = 12

/** How often a case is repeated before a difference counts: pieces may arrive together, and clients may leave before a response. */
const ATTEMPTS = 4

/** How long the servers may take to agree. */
const AGREE_MS = 2000

const report = { node: process.version, cases: 0, executed: 0, refused: 0, failures: [] as object[] }

/** Runs a case on both servers until they agree. */
async function compare(run: (current: Case) => Promise<[Outcome, Outcome]>, current: Case): Promise<Outcome | undefined> {
  const outcomes: [string[], string[]] = [[], []]
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const both = await run(current)
    both.forEach((outcome, side) => void outcomes[side]?.push(JSON.stringify(outcome)))
    if (isSame(both, current) || outcomes[0].some((outcome) => outcomes[1].includes(outcome))) return both[0]
  }
  report.failures.push({ ...current, fast: JSON.parse(outcomes[0].at(-1)!), node: JSON.parse(outcomes[1].at(-1)!) })
  return undefined
}

/** A client that does not wait may miss responses, its later requests may not run, and there may be several reasons to refuse one. */
function isSame([fast, node]: [Outcome, Outcome], { leave }: Case): boolean {
  if (leave === 'end') return JSON.stringify(fast) === JSON.stringify(node)
  return isPrefix(fast.responses.filter(isAccepted), node.responses.filter(isAccepted)) && isPrefix(fast.executed, node.executed)
}

function isAccepted({ status }: PathResponse): boolean {
  return status < 400
}

function isPrefix(a: readonly unknown[], b: readonly unknown[]): boolean {
  const length = Math.min(a.length, b.length)
  return JSON.stringify(a.slice(0, length)) === JSON.stringify(b.slice(0, length))
}

/** Runs a case on both servers at the same time. Neither client leaves before both have the same responses, or a long time has passed. */
async function runBoth(sides: readonly [Side, Side], current: Case): Promise<[Outcome, Outcome]> {
  const [fast, node] = sides.map((side) => side.start(current)) as [Attempt, Attempt]
  const outcomes = (): [Outcome, Outcome] => [fast.outcome(), node.outcome()]
  await Promise.all([fast.sent, node.sent])
  if (current.leave === 'end') {
    const wanted = 'statuses' in current ? (current as KnownCase).statuses.length : 0
    const isDone = (): boolean =>
      fast.isQuiet() && node.isQuiet() && isSame(outcomes(), current) && fast.outcome().responses.length >= wanted
    const until = performance.now() + AGREE_MS
    while (!isDone() && performance.now() < until) await sleep(2)
  }
  const before = outcomes()
  await Promise.all([fast.leave(), node.leave()])
  return outcomes().map((outcome, side) => ({ ...outcome, closed: before[side]!.closed })) as [Outcome, Outcome]
}

async function work(nextCase: () => Case | undefined): Promise<void> {
  const sides = await Promise.all([startSide({ fastPath: true }), startSide({ fastPath: false })])
  const run = (current: Case): Promise<[Outcome, Outcome]> => runBoth(sides, current)
  for (let current = nextCase(); current; current = nextCase()) {
    const outcome = await compare(run, current)
    report.cases++
    report.executed += outcome?.executed.length ?? 0
    report.refused += outcome?.responses.filter((response) => !isAccepted(response)).length ?? 0
    if (outcome && 'statuses' in current && current.leave === 'end') checkStatuses(current as KnownCase, outcome)
  }
  await Promise.all(sides.map((side) => side.close()))
}

function checkStatuses(known: KnownCase, { responses }: Outcome): void {
  const statuses = responses.map(({ status }) => status)
  if (String(statuses) !== String(known.statuses)) report.failures.push({ name: known.name, expected: known.statuses, statuses })
}

const corpus = [...CORPUS]
const random = createCases(seed)
const deadline = performance.now() + seconds * 1000
const nextCase = (): Case | undefined => corpus.shift() ?? (performance.now() < deadline ? random() : undefined)
await Promise.all(Array.from({ length: WORKERS }, () => work(nextCase)))
console.log(JSON.stringify(report))

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms))
}
