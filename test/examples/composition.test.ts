/** The examples of docs/servers/composition.md and docs/servers/large-tool-sets.md. */
import { deriveContext, type Exchange } from 'portcall'
import { type Client, connect } from 'portcall/client'
import { expect, test } from 'vitest'
import { server as code } from '../../examples/composition-code.ts'
import { server as derived, type tools as derivedTools } from '../../examples/composition-derived.ts'
import { server as mounted } from '../../examples/composition-mount.ts'
import { server as search } from '../../examples/composition-search.ts'
import { maintenance, server as transformed } from '../../examples/composition-transforms.ts'

const namesOf = async (client: Client<never>): Promise<string[]> => (await client.tools().toArray()).map(({ name }) => name)
const textOf = async (client: Client, name: string, args = {}): Promise<string> => {
  const { content } = await client.callTool(name, args)
  return content[0]?.type === 'text' ? content[0].text : ''
}
const as =
  (auth: { principal: string; [claim: string]: unknown }, exchange: Exchange): Exchange =>
  (request, context) =>
    exchange(request, deriveContext(context, { auth }))

test('composition-mount', async () => {
  await using client = await connect<typeof mounted>(mounted, { elicit: () => ({ action: 'accept', content: {} }) })
  const names = (await client.tools().toArray()).map(({ name }) => name)
  expect(names).toEqual(['hours', 'billing__invoices', 'billing__refund', 'crm__find_customer'])
  expect(await client.callTool('billing__refund', { id: 17 })).toMatchObject({ content: [{ text: 'Refunded invoice 17' }] })
  expect(await client.readResource('crm://customers/Ada')).toMatchObject({ contents: [{ text: 'Everything about Ada' }] })
})

test('composition-transforms', async () => {
  await using guest = await connect(transformed)
  await using admin = await connect(as({ principal: 'a', scopes: ['admin'], tenant: 'acme' }, transformed.exchange))
  expect(await namesOf(guest as never)).toEqual(['warehouse__search'])
  expect(await namesOf(admin as never)).toEqual(['warehouse__search', 'warehouse__delete_item'])
  expect(await textOf(guest, 'warehouse__search', { text: 'lamp' })).toBe('20 results for "lamp" in demo')
  expect(await textOf(admin, 'warehouse__search', { text: 'lamp', limit: 5 })).toBe('5 results for "lamp" in acme')
  maintenance.hide('warehouse__*')
  expect(await namesOf(admin as never)).toEqual([])
})

test('composition-derived', async () => {
  await using client = await connect<typeof derivedTools>(derived)
  expect(await client.callTool('search_mine', { text: 'x' })).toMatchObject({ content: [{ text: '10 notes of guest with "x"' }] })
})

test('composition-search', async () => {
  await using client = await connect(search)
  expect(await namesOf(client as never)).toEqual(['search_tools', 'describe_tool', 'call_tool'])
  expect(await textOf(client, 'search_tools', { query: 'train departures in Prague' })).toMatch(/^prague_transit\(\)/)
  expect(await textOf(client, 'call_tool', { name: 'oslo_museums' })).toBe('Museums and their opening hours: Oslo')
})

test('composition-code', async () => {
  await using client = await connect(code)
  const [tool] = await client.tools().toArray()
  expect(tool?.description).toContain('tools.get_order(args: { id: number }): Promise<{ customer: string; cents: number }>')
})
