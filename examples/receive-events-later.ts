import { readFile, rename, writeFile } from 'node:fs/promises'
import { type ConnectTarget, connect } from 'portcall/client'
import { type EventStateStore, events, type SavedEventState } from 'portcall/events/client'

/** Keeps positions in a file. Use a database if several processes subscribe. */
function fileState(path: string): EventStateStore {
  const read = async (): Promise<Record<string, SavedEventState>> => JSON.parse(await readFile(path, 'utf8').catch(() => '{}'))
  return {
    load: async (key) => (await read())[key],
    async save(key, state) {
      await writeFile(`${path}.new`, JSON.stringify({ ...(await read()), [key]: state }), { mode: 0o600 })
      // A process that is killed leaves the old file or the new one.
      await rename(`${path}.new`, path)
    },
  }
}

/** Handles the orders since the last run, and then those that arrive, until the signal is aborted. */
export async function handleOrders(
  target: ConnectTarget,
  { path, signal, handle }: { path: string; signal: AbortSignal; handle: (orderId: unknown) => Promise<void> },
): Promise<void> {
  const client = await connect(target, { extensions: [events({ state: fileState(path) })] })
  const subscription = await client.events.on('order.created', { region: 'eu' }, ({ data }) => handle(data.orderId), {
    signal,
    onGap: () => console.error('Some orders are missing: list them with the tools of the server'),
    onError: (error) => console.error(error),
  })
  await subscription.ended.finally(() => client.close())
}
