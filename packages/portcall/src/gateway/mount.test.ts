import { expect, expectTypeOf, onTestFinished, test } from 'vitest'
import { eventually } from '../../test-kit/eventually.ts'
import { connect, type PromptsOf } from '../connect/connect.ts'
import { events as clientEvents } from '../events/client/extension.ts'
import { events } from '../events/server/extension.ts'
import { deriveContext, type Exchange } from '../jsonrpc/exchange.ts'
import { clientMeta } from '../protocol/probes.ts'
import { serve } from '../serve/node.ts'
import { createServer } from '../server/server.ts'
import type { Server } from '../server/types.ts'
import { tasks as tasksClient } from '../tasks/client/extension.ts'
import { tasks } from '../tasks/server/extension.ts'
import { mount, unmount } from './mount.ts'

function createNotes(text = 'a note') {
  return createServer({ name: 'notes', version: '1' }, { instructions: 'Keeps notes.' })
    .tool(
      'add',
      { input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } },
      async ({ text: added }, call) => {
        await call.progress(1, 2, 'half')
        return `added ${added} for ${call.auth?.principal ?? 'nobody'}`
      },
    )
    .tool('ask', {}, async (_args, call) => {
      const { name } = await call.elicit('Who?', { type: 'object', properties: { name: { type: 'string' } } })
      const { content } = await call.sample({ messages: [], maxTokens: 10 })
      return `${name}: ${JSON.stringify(content)}`
    })
    .resource('note://1', { name: 'one' }, () => text)
    .resource('note://by/{author}', { complete: { author: () => ['ada', 'bob'] } }, ({ author }) => `by ${author}`)
    .prompt(
      'summary',
      { arguments: { type: 'object', properties: { style: { type: 'string' } } }, complete: { style: () => ['short'] } as never },
      () => 'Summarize',
    )
}

const createMain = (): Server =>
  createServer({ name: 'main', version: '1' }, { instructions: 'Start here.' })
    .tool('own', {}, () => 'own result')
    .resource('main://x', {}, () => 'x')

test('lists and calls reach the server and those that are mounted on it', async () => {
  const server = mount(createMain(), createNotes(), { prefix: 'notes' })
  await using client = await connect(server)
  expect((await client.tools().toArray()).map(({ name }) => name)).toEqual(['own', 'notes__add', 'notes__ask'])
  expect((await client.prompts().toArray()).map(({ name }) => name)).toEqual(['notes__summary'])
  expect((await client.resources().toArray()).map(({ uri }) => uri)).toEqual(['main://x', 'note://1'])
  expect((await client.resourceTemplates().toArray()).map(({ uriTemplate }) => uriTemplate)).toEqual(['note://by/{author}'])
  expect(await client.callTool('own')).toMatchObject({ content: [{ text: 'own result' }] })
  const progress: unknown[] = []
  const added = await client.callTool('notes__add', { text: 'x' }, { onProgress: (one) => void progress.push(one.message) })
  expect(added).toMatchObject({ content: [{ text: 'added x for nobody' }] })
  expect(progress).toEqual(['half'])
  expect(await client.readResource('main://x')).toMatchObject({ contents: [{ text: 'x' }] })
  expect(await client.readResource('note://1')).toMatchObject({ contents: [{ text: 'a note' }] })
  expect(await client.readResource('note://by/ada')).toMatchObject({ contents: [{ text: 'by ada' }] })
  expect(await client.getPrompt('notes__summary')).toMatchObject({ messages: [{ content: { text: 'Summarize' } }] })
  expect(await client.complete({ type: 'ref/prompt', name: 'notes__summary' }, { name: 'style', value: '' })).toMatchObject({
    values: ['short'],
  })
  expect(await client.complete({ type: 'ref/resource', uri: 'note://by/{author}' }, { name: 'author', value: '' })).toMatchObject(
    {
      values: ['ada', 'bob'],
    },
  )
  await expect(client.callTool('notes__nothing')).rejects.toThrow('Unknown tool')
  await expect(client.callTool('nothing')).rejects.toThrow('Unknown tool: nothing')
  await expect(client.readResource('nothing://')).rejects.toThrow('Resource not found')
  const { instructions, serverInfo, capabilities } = await client.discover()
  expect(instructions).toBe('Start here.\n\n## notes\n\nKeeps notes.')
  expect(serverInfo).toMatchObject({ name: 'main' })
  expect(capabilities).toMatchObject({ prompts: { listChanged: true }, completions: {} })
})

test('input requests of a mounted server reach the caller', async () => {
  const server = mount(createMain(), createNotes(), { prefix: 'notes' })
  await using client = await connect(server, {
    elicit: () => ({ action: 'accept', content: { name: 'Ada' } }),
    sample: () => ({ role: 'assistant', content: { type: 'text', text: 'hi' }, model: 'm' }),
  })
  expect(await client.callTool('notes__ask')).toMatchObject({ content: [{ text: 'Ada: {"type":"text","text":"hi"}' }] })
})

test.each(['2025-11-25', undefined])(
  'works over HTTP for a client of revision %s, with a remote server behind',
  async (version) => {
    const remote = await serve(createNotes(), { port: 0 })
    onTestFinished(() => remote.close())
    const server = mount(createMain(), remote.url, { prefix: 'notes' })
    const listening = await serve(server, { port: 0 })
    onTestFinished(() => listening.close())
    await using client = await connect(listening.url, {
      ...(version !== undefined && { protocolVersion: version }),
      elicit: () => ({ action: 'accept', content: { name: 'Ada' } }),
      sample: () => ({ role: 'assistant', content: { type: 'text', text: 'hi' }, model: 'm' }),
    })
    expect((await client.tools().toArray()).map(({ name }) => name)).toEqual(['own', 'notes__add', 'notes__ask'])
    expect(await client.callTool('notes__ask')).toMatchObject({ content: [{ text: 'Ada: {"type":"text","text":"hi"}' }] })
    expect(await client.callTool('own')).toMatchObject({ content: [{ text: 'own result' }] })
    expect(await client.readResource('note://1')).toMatchObject({ contents: [{ text: 'a note' }] })
    server.close()
  },
)

test('a client can be mounted', async () => {
  const remote = await serve(createNotes(), { port: 0 })
  onTestFinished(() => remote.close())
  await using notes = await connect(remote.url)
  await using client = await connect(mount(createMain(), notes, { prefix: 'notes' }), {
    elicit: () => ({ action: 'accept', content: { name: 'Ada' } }),
    sample: () => ({ role: 'assistant', content: { type: 'text', text: 'hi' }, model: 'm' }),
  })
  expect(await client.callTool('notes__add', { text: 'x' })).toMatchObject({ content: [{ text: 'added x for nobody' }] })
  expect(await client.callTool('notes__ask')).toMatchObject({ content: [{ text: 'Ada: {"type":"text","text":"hi"}' }] })
})

test('mounts nest, and names without a prefix stay as they are', async () => {
  const inner = mount(createServer({ name: 'inner', version: '1' }), createNotes(), { prefix: 'notes' })
  const server = mount(
    mount(createMain(), inner, { prefix: 'team' }),
    createServer({ name: 'plain', version: '1' }).tool('echo', {}, () => 'echo'),
  )
  await using client = await connect(server)
  const names = (await client.tools().toArray()).map(({ name }) => name)
  expect(names).toEqual(['own', 'team__notes__add', 'team__notes__ask', 'echo'])
  expect(await client.callTool('team__notes__add', { text: 'x' })).toMatchObject({ content: [{ text: 'added x for nobody' }] })
  expect(await client.callTool('echo')).toMatchObject({ content: [{ text: 'echo' }] })
})

test('changes of all servers reach subscribers, also while servers are mounted and removed', async () => {
  const notes = createNotes()
  const main = createMain()
  const server = mount(main, notes, { prefix: 'notes' })
  await using client = await connect(server)
  await using subscription = client.listen({
    toolsListChanged: true,
    resourceSubscriptions: ['main://x', 'note://1'],
  })
  expect(await subscription.acknowledged).toMatchObject({
    toolsListChanged: true,
    resourceSubscriptions: ['main://x', 'note://1'],
  })
  const changes = subscription[Symbol.asyncIterator]()
  main.tool('more', {}, () => '')
  expect((await changes.next()).value).toEqual({ type: 'tools' })
  notes.tool('extra', {}, () => '')
  expect((await changes.next()).value).toEqual({ type: 'tools' })
  main.resourceUpdated('main://x')
  expect((await changes.next()).value).toEqual({ type: 'resource', uri: 'main://x' })
  notes.resourceUpdated('note://1')
  expect((await changes.next()).value).toEqual({ type: 'resource', uri: 'note://1' })
  mount(main, createNotes(), { prefix: 'second' })
  expect((await changes.next()).value).toEqual({ type: 'tools' })
  const names = async (): Promise<string[]> => (await client.tools().toArray()).map(({ name }) => name)
  expect(await names()).toEqual(['own', 'more', 'notes__add', 'notes__ask', 'notes__extra', 'second__add', 'second__ask'])
  expect(await unmount(main, 'notes')).toBe(true)
  expect(await unmount(main, 'notes')).toBe(false)
  expect(await names()).toEqual(['own', 'more', 'second__add', 'second__ask'])
  await expect(client.callTool('notes__add', { text: 'x' })).rejects.toThrow('Unknown tool')
})

test('middleware that is added after the mount runs for mounted servers, too, and sees who calls', async () => {
  const server = mount(createMain(), createNotes(), { prefix: 'notes' })
  server.use((request, context, next) => next(request, deriveContext(context, { auth: { principal: 'ada' } })))
  await using client = await connect(server)
  expect(await client.callTool('notes__add', { text: 'x' })).toMatchObject({ content: [{ text: 'added x for ada' }] })
})

test('what a caller may not see is hidden through the mount, in the lists of both servers', async () => {
  const visible = { visible: (call: { auth?: { principal: string } | undefined }) => call.auth?.principal === 'admin' }
  const other = createServer({ name: 'o', version: '1' })
    .tool('secret', visible, () => 's')
    .tool('open', {}, () => 'o')
  const server = mount(
    createServer({ name: 'm', version: '1' }).tool('hidden', visible, () => 'h'),
    other,
    { prefix: 'o' },
  )
  const as =
    (principal: string): Exchange =>
    (request, context) =>
      server.exchange(request, deriveContext(context, { auth: { principal } }))
  await using admin = await connect(as('admin'))
  await using guest = await connect(as('guest'))
  expect((await guest.tools().toArray()).map(({ name }) => name)).toEqual(['o__open'])
  expect((await admin.tools().toArray()).map(({ name }) => name)).toEqual(['hidden', 'o__secret', 'o__open'])
  await expect(guest.callTool('o__secret')).rejects.toThrow('Unknown tool')
  await expect(guest.callTool('hidden')).rejects.toThrow('Unknown tool')
})

test('tasks of both servers run through the mount', async () => {
  const createTasked = (name: string) =>
    createServer({ name, version: '1' }, { extensions: [tasks()] }).tool(
      'slow',
      { task: 'required' },
      async () => `done by ${name}`,
    )
  const server = mount(createTasked('main'), createTasked('other'), { prefix: 'other' })
  await using client = await connect(server, { extensions: [tasksClient()] })
  expect(await client.callTool('slow')).toMatchObject({ content: [{ text: 'done by main' }] })
  expect(await client.callTool('other__slow')).toMatchObject({ content: [{ text: 'done by other' }] })
  const plain = await serve(mount(createMain(), createTasked('third'), { prefix: 'third' }), { port: 0 })
  onTestFinished(() => plain.close())
  await using remote = await connect(plain.url, { extensions: [tasksClient()] })
  expect(await remote.callTool('third__slow')).toMatchObject({ content: [{ text: 'done by third' }] })
  server.close()
})

test('types of mounted tools have the prefix, and wrong mounts are refused', async () => {
  const main = createServer({ name: 'main', version: '1' }).tool(
    'own',
    { input: { type: 'object', properties: {} } as const },
    () => '',
  )
  const server = mount(main, createNotes(), { prefix: 'notes' })
  await using client = await connect<typeof server>(server)
  await client.callTool('notes__add', { text: 'typed' })
  // @ts-expect-error text must be a string
  await client.callTool('notes__add', { text: 1 })
  // @ts-expect-error there is no such tool
  await expect(client.callTool('add', {})).rejects.toThrow('Unknown tool')
  await client.getPrompt('notes__summary', { style: 'short' })
  await client.readResource('note://by/ada')
  const nothing = mount(
    createServer({ name: 'own', version: '1' }).prompt('own', {}, () => ''),
    'http://127.0.0.1:9/mcp',
  )
  expectTypeOf<PromptsOf<typeof nothing>>().toEqualTypeOf<{ [name: string]: Record<string, string> }>()
  nothing.close()
  // @ts-expect-error there is no such prompt
  await expect(client.getPrompt('summary')).rejects.toThrow()
  expect(() => mount(main, createNotes(), { prefix: 'notes' })).toThrow('mounted already')
  expect(() => mount(main, main)).toThrow('itself')
})

test('events of the server and of those that are mounted on it are listed, and arrive by poll and push', async () => {
  const payload = { type: 'object', properties: { id: { type: 'string' } } } as const
  const shop = createServer({ name: 'shop', version: '1' }, { extensions: [events({ webhooks: true })] })
  const created = shop.event('order.created', { description: 'An order', payload })
  const main = createServer({ name: 'main', version: '1' }, { extensions: [events({ webhooks: true })] })
  const started = main.event('started', { description: 'A start', payload })
  const server = mount(main, shop, { prefix: 'shop' })
  const context = { signal: new AbortController().signal, notify: () => {}, auth: { principal: 'ada' } }
  const _meta = clientMeta({ name: 'test', version: '1' })
  const listed = await server.exchange({ jsonrpc: '2.0', id: 1, method: 'events/list', params: { _meta } }, context)
  expect(listed).toMatchObject({
    result: {
      events: [
        { name: 'started', delivery: ['poll', 'push', 'webhook'] },
        { name: 'shop__order.created', delivery: ['poll', 'push'] },
      ],
    },
  })
  for (const mode of ['poll', 'push'] as const) {
    await using client = await connect(server, { extensions: [clientEvents({ minPollDelayMs: 10 })] })
    const received: string[] = []
    for (const name of ['started', 'shop__order.created'])
      await client.events.on(name, {}, ({ data }) => void received.push(`${name} ${String(data.id)}`), { mode })
    await started.emit({ id: '1' })
    await created.emit({ id: '2' })
    await eventually(() => expect(received.toSorted()).toEqual(['shop__order.created 2', 'started 1']))
  }
})

test('events of a mounted server reach clients of a server without events', async () => {
  const shop = createServer({ name: 'shop', version: '1' }, { extensions: [events()] })
  const created = shop.event('order.created', { description: 'An order', payload: { type: 'object' } })
  const { url, close } = await serve(mount(createMain(), shop, { prefix: 'shop' }), { port: 0, handleProcessSignals: false })
  onTestFinished(close)
  await using client = await connect(url, { extensions: [clientEvents()] })
  const received: unknown[] = []
  await client.events.on('shop__order.created', {}, ({ data }) => void received.push(data), { mode: 'push' })
  await created.emit({ id: '2' })
  await eventually(() => expect(received).toEqual([{ id: '2' }]))
})
