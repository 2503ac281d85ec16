import { expect } from 'vitest'
import { eventually } from '../../../packages/portcall/test-kit/eventually.ts'
import { type CallRecord, LegacyClient, modernAdd } from './client.ts'

const GONE = 'error The process that ran this request is gone'
const STEPS = 4

/** A client at work. */
export interface Worker {
  readonly client: LegacyClient
  /** What it has done. */
  readonly records: CallRecord[]
  /** Calls that had no answer. */
  readonly failed: string[]
}

/** Opens the sessions of so many clients. Each hears of changes of the note that is named after it. */
export function hire(url: string, letter: string, count: number): Promise<Worker[]> {
  const open = async (name: string): Promise<Worker> => {
    const client = new LegacyClient(url, name)
    await client.open()
    await client.listen()
    await client.request('resources/subscribe', { uri: `note://${name}` })
    return { client, records: [], failed: [] }
  }
  return Promise.all(Array.from({ length: count }, (_, at) => open(`${letter}${at}`)))
}

/** What one client does: calls of all kinds, one after another; every third stream is cut and resumed. */
export async function work({ client, records, failed }: Worker, rounds: number): Promise<void> {
  const { url, name } = client
  for (let round = 0; round < rounds; round++) {
    const mark = `${name}-${round}`
    const call = async (tool: string, cut?: number): Promise<void> => {
      try {
        records.push(await client.call(tool, { mark, count: STEPS, ms: 3, a: round, b: 1, uri: `note://${name}` }, cut))
      } catch (error) {
        failed.push(String(error))
      }
    }
    await call('steps', round % 3 === 0 ? 1 + (round % STEPS) : undefined)
    if (round % 4 === 0) await call('ask')
    for (let more = 0; more < 3; more++) {
      const sum = await modernAdd(url, round, more).catch((error) => `failed ${error}`)
      if (sum !== `${round + more}`) failed.push(`modern ${mark}: ${sum}`)
    }
    await call('add')
  }
}

/** Resolves when everybody is at work: what goes wrong from then on meets all of them. */
export const untilBusy = (workers: readonly Worker[]): Promise<void> =>
  eventually(() => expect(Math.min(...workers.map(({ records }) => records.length))).toBeGreaterThan(1))

/** What has to hold for every call, whatever went wrong meanwhile. */
export function faultsOf({ mark, progress, end }: CallRecord, mayDie: boolean): string[] {
  const faults: string[] = []
  if (progress.some((step, at) => step !== at + 1)) faults.push(`${mark}: steps ${progress}`)
  const isWhole = progress.length === 0 || progress.length === STEPS
  const isGone = mayDie && end === GONE
  const isRight = end === mark || end === `${mark} for ${mark}` || /^\d+$/.test(end)
  if (!isGone && !(isRight && isWhole)) faults.push(`${mark}: ${progress} ${end}`)
  return faults
}
