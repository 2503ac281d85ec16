import { type CallRecord, LegacyClient, modernAdd } from './client.ts'

const GONE = 'error The process that ran this request is gone'
const STEPS = 4

/** What one client does: calls of all kinds, one after another; every third stream is cut and resumed. */
export async function work(
  url: string,
  name: string,
  rounds: number,
): Promise<{ client: LegacyClient; records: CallRecord[]; failed: string[] }> {
  const client = new LegacyClient(url)
  const records: CallRecord[] = []
  const failed: string[] = []
  await client.open()
  await client.listen()
  await client.request('resources/subscribe', { uri: `note://${name}` })
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
  return { client, records, failed }
}

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
