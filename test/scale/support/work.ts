import { expect } from 'vitest'
import { eventually } from '../../../packages/portcall/test-kit/eventually.ts'
import { type CallRecord, LegacyClient, modernAdd } from './client.ts'

const PROCESS_FAILED = 'error The process that ran this request has failed'
const STEPS = 4

/** A client and the outcome of its calls. */
export interface Worker {
  readonly client: LegacyClient
  /** The calls that were answered. */
  readonly records: CallRecord[]
  /** The errors of calls without a response. */
  readonly failed: string[]
}

/** Opens the sessions of `count` clients. Each subscribes to a note with its own name. */
export function openWorkers(url: string, prefix: string, count: number): Promise<Worker[]> {
  const open = async (name: string): Promise<Worker> => {
    const client = new LegacyClient(url, name)
    await client.open()
    await client.listen()
    await client.request('resources/subscribe', { uri: `note://${name}` })
    return { client, records: [], failed: [] }
  }
  return Promise.all(Array.from({ length: count }, (_, index) => open(`${prefix}${index}`)))
}

/** Makes sequential calls of all kinds. Every third stream is disconnected and resumed. */
export async function runCalls({ client, records, failed }: Worker, rounds: number): Promise<void> {
  const { url, name } = client
  for (let round = 0; round < rounds; round++) {
    const mark = `${name}-${round}`
    const call = async (tool: string, cutAfter?: number): Promise<void> => {
      try {
        records.push(await client.call(tool, { mark, count: STEPS, ms: 3, a: round, b: 1, uri: `note://${name}` }, cutAfter))
      } catch (error) {
        failed.push(String(error))
      }
    }
    await call('steps', round % 3 === 0 ? 1 + (round % STEPS) : undefined)
    if (round % 4 === 0) await call('elicit')
    for (let addend = 0; addend < 3; addend++) {
      const sum = await modernAdd(url, round, addend).catch((error) => `failed ${error}`)
      if (sum !== `${round + addend}`) failed.push(`modern ${mark}: ${sum}`)
    }
    await call('add')
  }
}

/** Resolves when all clients have made calls, so that a failure from then on affects all of them. */
export const whenBusy = (workers: readonly Worker[]): Promise<void> =>
  eventually(() => expect(Math.min(...workers.map(({ records }) => records.length))).toBeGreaterThan(1))

/** Returns the violated invariants of a call. With `mayFail`, its process may have failed. */
export function violationsOf({ mark, progress, end }: CallRecord, mayFail: boolean): string[] {
  const violations: string[] = []
  if (progress.some((step, index) => step !== index + 1)) violations.push(`${mark}: steps ${progress}`)
  const isComplete = progress.length === 0 || progress.length === STEPS
  const hasFailed = mayFail && end === PROCESS_FAILED
  const isCorrect = end === mark || end === `${mark} for ${mark}` || /^\d+$/.test(end)
  if (!hasFailed && !(isCorrect && isComplete)) violations.push(`${mark}: ${progress} ${end}`)
  return violations
}
