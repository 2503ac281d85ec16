import { createServer } from 'portcall'
import { connect } from 'portcall/client'
import { compareSnapshots, createSnapshot, readInventory } from 'portcall/diagnostics'

// #region compare
async function snapshotOf(server: Parameters<typeof connect>[0]) {
  const client = await connect(server)
  const { inventory } = await readInventory(client)
  await client.close()
  return createSnapshot(inventory)
}

const released = createServer({ name: 'notes', version: '1.0.0' })
released.tool('search', { input: { type: 'object', properties: { query: { type: 'string' } } } as const }, () => 'found')

const next = createServer({ name: 'notes', version: '1.0.0' })
const input = { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] } as const
next.tool('search', { input }, () => 'found')

const rows = compareSnapshots(await snapshotOf(released), await snapshotOf(next))
for (const { where, pointer, breaking, reason } of rows) console.log(`${where} ${pointer}`, { breaking, reason })
// #endregion
