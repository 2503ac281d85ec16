import { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { connect } from 'portcall/client'
import { lint, readInventory, VIEW_CAPABILITIES } from 'portcall/diagnostics'
import { expect, test } from 'vitest'

test.each(['basic-vanillajs', 'basic-react', 'system-monitor'])('the published view of %s has no faults', async (guest) => {
  const folder = new URL(`../node_modules/@modelcontextprotocol/server-${guest}/`, import.meta.url)
  const args = [fileURLToPath(new URL('dist/index.js', folder)), '--stdio']
  const client = await connect({ command: execPath, args }, { capabilities: VIEW_CAPABILITIES, connectTimeoutMs: 60_000 })
  try {
    const { inventory, failures } = await readInventory(client)
    const { findings } = await lint(inventory)
    expect(failures).toEqual([])
    expect(inventory.views).toHaveLength(1)
    expect(inventory.views?.[0]).toMatchObject({ contents: { text: expect.stringContaining('<html') } })
    expect(findings.filter(({ rule }) => rule.startsWith('view-'))).toEqual([])
  } finally {
    await client.close()
  }
})
