import { expect, test } from 'vitest'
import * as z from 'zod'
import { connect } from '../../connect/connect.ts'
import { createGateway } from '../../gateway/gateway.ts'
import { mount } from '../../gateway/mount.ts'
import { deriveContext, type Exchange } from '../../jsonrpc/exchange.ts'
import { defineTool } from '../../server/define-tool.ts'
import { createServer } from '../../server/server.ts'
import type { Server } from '../../server/types.ts'
import { deriveTool } from '../derive-tool.ts'
import { transform } from './apply-transforms.ts'
import { setArguments } from './arguments.ts'
import { filterItems, hide, visibility } from './hide.ts'
import { describeItems, rename } from './rename.ts'
import { tag, withTags } from './tags.ts'
import { versions } from './versions.ts'

const SEARCH = {
  type: 'object',
  properties: { query: { type: 'string' }, tenant: { type: 'string' }, limit: { type: 'number' } },
  required: ['query', 'tenant', 'limit'],
} as const

function createShop(): Server {
  return createServer({ name: 'shop', version: '1' })
    .tool('search', { description: 'Finds', input: SEARCH }, (args) => JSON.stringify(args))
    .tool('delete_order', { _meta: { 'io.github.portcall/tags': ['dangerous'] } }, () => 'deleted')
    .tool('list_orders', {}, () => 'orders')
    .resource('shop://public', {}, () => 'public')
    .resource('shop://secret', {}, () => 'secret')
    .resource('shop://file/{+path}', {}, ({ path }) => `file ${path}`)
    .prompt('greet', {}, () => 'Hello')
}

const as =
  (principal: string, exchange: Exchange): Exchange =>
  (request, context) =>
    exchange(request, deriveContext(context, { auth: { principal, tenant: `${principal}-corp` } }))

const namesOf = async (server: Server | Exchange): Promise<string[]> => {
  await using client = await connect(server)
  return (await client.tools().toArray()).map(({ name }) => name)
}

test('renames and describes items, whose old names are unknown', async () => {
  const server = createShop().use(
    transform(
      rename({ tools: { search: 'find', list_orders: 'search' }, prompts: { greet: 'hello' } }),
      describeItems({ find: { title: 'Find', annotations: { readOnlyHint: true } } }),
    ),
  )
  await using client = await connect(server)
  const tools = await client.tools().toArray()
  expect(tools.map(({ name }) => name)).toEqual(['find', 'delete_order', 'search'])
  expect(tools[0]).toMatchObject({ title: 'Find', description: 'Finds', annotations: { readOnlyHint: true } })
  expect(await client.callTool('search')).toMatchObject({ content: [{ text: 'orders' }] })
  await expect(client.callTool('list_orders')).rejects.toThrow('Unknown tool: list_orders')
  expect(await client.getPrompt('hello')).toMatchObject({ messages: [{ content: { text: 'Hello' } }] })
  await expect(client.getPrompt('greet')).rejects.toThrow('Unknown prompt: greet')
  expect(() => rename({ a: 'x', b: 'x' })).toThrow(TypeError)
})

test('hidden items can neither be listed nor used, however they are spelled', async () => {
  const server = createShop().use(
    transform(hide({ tools: 'delete_*', prompts: 'greet', resources: ['shop://secret', 'shop://file/etc/*'] })),
  )
  await using client = await connect(server)
  expect(await namesOf(server)).toEqual(['search', 'list_orders'])
  expect((await client.resources().toArray()).map(({ uri }) => uri)).toEqual(['shop://public'])
  expect(await client.prompts().toArray()).toEqual([])
  await expect(client.callTool('delete_order')).rejects.toThrow('Unknown tool')
  await expect(client.getPrompt('greet')).rejects.toThrow('Unknown prompt')
  for (const uri of [
    'shop://secret',
    'shop://%73ecret',
    'shop://file/etc/passwd',
    'shop://file/x/../etc/passwd',
    'shop://file/%65tc/passwd',
  ])
    await expect(client.readResource(uri), uri).rejects.toThrow('Resource not found')
  expect(await client.readResource('shop://file/a.txt')).toMatchObject({ contents: [{ text: 'file a.txt' }] })
})

test('arguments can be fixed for the caller, hidden, and have defaults', async () => {
  const server = createShop().use(
    transform(
      setArguments({ search: { tenant: { fixed: ({ auth }) => String(auth?.tenant) }, limit: { default: 10 } } }),
      rename({ search: 'find' }),
    ),
  )
  await using client = await connect(as('ada', server.exchange))
  const [find] = await client.tools().toArray()
  expect(find).toMatchObject({
    inputSchema: { properties: { query: { type: 'string' }, limit: { type: 'number', default: 10 } }, required: ['query'] },
  })
  expect(find?.inputSchema.properties).not.toHaveProperty('tenant')
  const call = async (args: object): Promise<unknown> => {
    const { content } = await client.callTool('find', { ...args })
    return content[0]?.type === 'text' ? JSON.parse(content[0].text) : content
  }
  expect(await call({ query: 'x' })).toEqual({ query: 'x', tenant: 'ada-corp', limit: 10 })
  expect(await call({ query: 'x', tenant: 'bob-corp', limit: 2 })).toEqual({ query: 'x', tenant: 'ada-corp', limit: 2 })
  // A server that ignores case would take another spelling for the fixed argument.
  for (const spelling of ['Tenant', 'TENANT', 'tEnaNt'])
    expect(await call({ query: 'x', [spelling]: 'bob-corp' })).toEqual({ query: 'x', tenant: 'ada-corp', limit: 10 })
})

test('tags, filters and versions choose what a caller sees', async () => {
  const tagged = createShop().use(
    transform(tag({ read: ['list_*', 'search'] }), withTags({ include: ['read'], exclude: ['dangerous'] })),
  )
  expect(await namesOf(tagged)).toEqual(['search', 'list_orders'])
  const filtered = createShop().use(
    transform(filterItems(({ name }, { auth }) => name !== 'delete_order' || auth?.principal === 'admin')),
  )
  expect(await namesOf(as('ada', filtered.exchange))).toEqual(['search', 'list_orders'])
  expect(await namesOf(as('admin', filtered.exchange))).toContain('delete_order')
  await using ada = await connect(as('ada', filtered.exchange))
  await expect(ada.callTool('delete_order')).rejects.toThrow('Unknown tool')

  const versioned = createServer({ name: 'v', version: '1' })
    .tool('sum', {}, () => 'old')
    .tool('sum_v2', {}, () => 'second')
    .tool('sum_v10', {}, () => 'tenth')
    .use(transform(versions({ select: ({ auth }) => (auth?.principal === 'pinned' ? 2 : undefined) })))
  for (const [principal, text] of [
    ['pinned', 'second'],
    ['new', 'tenth'],
  ] as const) {
    await using client = await connect(as(principal, versioned.exchange))
    expect((await client.tools().toArray()).map(({ name }) => name)).toEqual(['sum'])
    expect(await client.callTool('sum')).toMatchObject({ content: [{ text }] })
    await expect(client.callTool('sum_v2')).rejects.toThrow('Unknown tool')
  }
})

test('visibility changes while the server runs, for everyone and for one principal, and is announced', async () => {
  const tools = visibility()
  const server = createShop().use(transform(tools))
  tools.hide('delete_*')
  await using ada = await connect(as('ada', server.exchange))
  await using subscription = ada.listen({ toolsListChanged: true })
  await subscription.acknowledged
  const changes = subscription[Symbol.asyncIterator]()
  expect((await ada.tools().toArray()).map(({ name }) => name)).toEqual(['search', 'list_orders'])
  tools.show('delete_*', 'ada')
  expect((await changes.next()).value).toEqual({ type: 'tools' })
  expect(await ada.callTool('delete_order')).toMatchObject({ content: [{ text: 'deleted' }] })
  expect(await namesOf(as('bob', server.exchange))).toEqual(['search', 'list_orders'])
  tools.reset('ada')
  expect((await changes.next()).value).toEqual({ type: 'tools' })
  await expect(ada.callTool('delete_order')).rejects.toThrow('Unknown tool')
})

test('the same transforms work for a mount, and for one server of a gateway', async () => {
  const middleware = [transform(hide('delete_*'), rename({ search: 'find' }))]
  const mounted = mount(createServer({ name: 'm', version: '1' }), createShop(), { prefix: 'shop', middleware })
  expect(await namesOf(mounted)).toEqual(['shop__find', 'shop__list_orders'])
  await using gateway = createGateway({ servers: { shop: { target: createShop(), middleware }, other: createShop() } })
  await using client = await connect(gateway)
  expect((await client.tools().toArray()).map(({ name }) => name)).toEqual([
    'shop__find',
    'shop__list_orders',
    'other__search',
    'other__delete_order',
    'other__list_orders',
  ])
  await expect(client.callTool('shop__delete_order')).rejects.toThrow('Unknown tool')
  expect(await client.callTool('shop__list_orders')).toMatchObject({ content: [{ text: 'orders' }] })
})

test('a derived tool keeps the types of its tool, without what is fixed', async () => {
  const search = defineTool(
    {
      description: 'Finds',
      input: z.object({ query: z.string(), owner: z.string(), limit: z.number() }),
      output: z.object({ found: z.string() }),
    },
    ({ query, owner, limit }) => ({ found: `${query} ${owner} ${limit}` }),
  )
  const tools = {
    search,
    mine: deriveTool(search, {
      description: 'Finds your own',
      arguments: { owner: { fixed: (call) => call.auth?.principal ?? 'nobody' }, limit: { default: 10 } },
    }),
    copy: deriveTool(search, { title: 'Copy' }),
  }
  const server = createServer({ name: 's', version: '1' }).addTools(tools)
  await using client = await connect<typeof tools>(as('ada', server.exchange))
  const result = await client.callTool('mine', { query: 'x' })
  expect(result.structuredContent?.found).toBe('x ada 10')
  expect((await client.callTool('mine', { query: 'x', limit: 3 })).structuredContent?.found).toBe('x ada 3')
  // @ts-expect-error the owner is fixed
  await client.callTool('mine', { query: 'x', owner: 'bob' })
  // @ts-expect-error a copy needs all arguments
  await client.callTool('copy', { query: 'x' })
  const listed = await client.tools().toArray()
  expect(listed[1]).toMatchObject({
    description: 'Finds your own',
    inputSchema: { required: ['query'] },
    outputSchema: { type: 'object' },
  })
})
