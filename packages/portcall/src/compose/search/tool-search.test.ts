import { expect, test } from 'vitest'
import type { Client } from '../../client/types.ts'
import { connect } from '../../connect/connect.ts'
import { createGateway } from '../../gateway/gateway.ts'
import { deriveContext, type Exchange } from '../../jsonrpc/exchange.ts'
import type { CallToolResult } from '../../protocol/types.ts'
import { createServer } from '../../server/server.ts'
import type { Server } from '../../server/types.ts'
import { toolSearch } from './tool-search.ts'

function createMail(): Server {
  return createServer({ name: 'mail', version: '1' })
    .tool(
      'send_message',
      {
        description: 'Sends a message to a person',
        input: { type: 'object', properties: { to: { type: 'string' }, text: { type: 'string' } }, required: ['to'] },
      },
      ({ to }) => `Sent to ${to}`,
    )
    .tool('read_inbox', { description: 'Returns new messages' }, () => 'No messages')
    .tool(
      'wipe_mailbox',
      { description: 'Deletes all messages', visible: ({ auth }) => auth?.principal === 'admin' },
      () => 'gone',
    )
    .tool('sign', {}, async (_args, call) => {
      const { name } = await call.elicit('Who signs?', { type: 'object', properties: { name: { type: 'string' } } })
      return `Signed by ${name}`
    })
}

const as =
  (principal: string, exchange: Exchange): Exchange =>
  (request, context) =>
    exchange(request, deriveContext(context, { auth: { principal } }))

const textOf = (result: CallToolResult): string => result.content.map((block) => ('text' in block ? block.text : '')).join('\n')
const search = async (client: Client, query: string): Promise<string> => textOf(await client.callTool('search_tools', { query }))

test('a client sees three tools, and finds, reads and calls the others', async () => {
  const server = createMail().use(toolSearch())
  await using client = await connect(server, { elicit: () => ({ action: 'accept', content: { name: 'Ada' } }) })
  const tools = await client.tools().toArray()
  expect(tools.map(({ name }) => name)).toEqual(['search_tools', 'describe_tool', 'call_tool'])
  expect(tools[0]?.description).toContain('3 tools are available')
  expect(await search(client, 'send something to a person')).toBe(
    'send_message({ to: string; text?: string })\n  Sends a message to a person\nread_inbox()\n  Returns new messages',
  )
  expect(JSON.parse(textOf(await client.callTool('describe_tool', { name: 'send_message' })))).toMatchObject({
    name: 'send_message',
    inputSchema: { required: ['to'] },
  })
  const call = (name: string, args?: object): Promise<CallToolResult> => client.callTool('call_tool', { name, arguments: args })
  expect(textOf(await call('send_message', { to: 'Bob' }))).toBe('Sent to Bob')
  expect(textOf(await call('sign'))).toBe('Signed by Ada')
  expect(await call('send_message', {})).toMatchObject({ isError: true })
  await expect(call('nothing')).rejects.toThrow('Unknown tool: nothing')
  expect(textOf(await client.callTool('describe_tool', { name: 'send_mesage' }))).toContain('Did you mean send_message?')
})

test('a tool that a caller may not list is neither found nor described nor called, and does not affect the ranking', async () => {
  const server = createMail().use(toolSearch())
  await using admin = await connect(as('admin', server.exchange))
  await using guest = await connect(as('guest', server.exchange))
  expect(await search(admin, 'delete all messages')).toMatch(/^wipe_mailbox/)
  expect(await search(guest, 'delete all messages')).not.toContain('wipe')
  expect(await search(guest, 'wipe')).toBe('None of the 3 tools matches. Try other words.')
  expect(textOf(await guest.callTool('describe_tool', { name: 'wipe_mailbox' }))).toBe('Unknown tool: wipe_mailbox.')
  await expect(guest.callTool('call_tool', { name: 'wipe_mailbox' })).rejects.toThrow('Unknown tool: wipe_mailbox')
  expect(textOf(await admin.callTool('call_tool', { name: 'wipe_mailbox' }))).toBe('gone')
  expect((await guest.tools().toArray())[0]?.description).toContain('3 tools')
  expect((await admin.tools().toArray())[0]?.description).toContain('4 tools')
})

test('a tool that is added later is found, and a removed one is not', async () => {
  const server = createMail().use(toolSearch())
  await using client = await connect(server)
  expect(await search(client, 'archive')).toContain('None of')
  server.tool('archive_thread', { description: 'Moves a thread to the archive' }, () => '')
  expect(await search(client, 'archive')).toContain('archive_thread')
  server.tools.remove('archive_thread')
  expect(await search(client, 'archive')).toContain('None of')
})

test('some tools can stay listed, and the three can have other names', async () => {
  const server = createMail().use(toolSearch({ always: ['read_*'], names: { search: 'find' }, limit: 1 }))
  await using client = await connect(server)
  expect((await client.tools().toArray()).map(({ name }) => name)).toEqual(['find', 'describe_tool', 'call_tool', 'read_inbox'])
  expect(textOf(await client.callTool('find', { query: 'messages' })).split('\n')).toHaveLength(2)
  expect(textOf(await client.callTool('find', { query: 'message', limit: 10 })).split('\n').length).toBeGreaterThan(2)
  expect(() => toolSearch({ names: { search: 'call_tool' } })).toThrow(TypeError)
})

test('a gateway with search lists its servers, and its policies apply to the tools behind', async () => {
  await using gateway = createGateway({
    servers: { mail: createMail(), chat: createMail() },
    middleware: [toolSearch()],
    policy: {
      visible: ({ name }, { auth }) => name !== 'read_inbox' || auth?.principal === 'owner',
      decide: ({ name }) => (name === 'sign' ? 'deny' : 'allow'),
    },
  })
  await using owner = await connect(as('owner', gateway.exchange))
  await using other = await connect(as('other', gateway.exchange))
  expect((await owner.tools().toArray())[0]?.description).toContain('6 tools are available: mail (3), chat (3).')
  expect(await search(owner, 'inbox')).toContain('chat__read_inbox()')
  expect(await search(other, 'inbox')).not.toContain('read_inbox')
  await expect(other.callTool('call_tool', { name: 'chat__read_inbox' })).rejects.toThrow('Unknown tool')
  await expect(owner.callTool('call_tool', { name: 'chat__sign' })).rejects.toThrow('Unknown tool')
  expect(textOf(await owner.callTool('call_tool', { name: 'mail__send_message', arguments: { to: 'Bob' } }))).toBe('Sent to Bob')
})

test('a list in pages is searched as a whole', async () => {
  const server = createServer({ name: 'paged', version: '1' }, { pageSize: 2 })
  for (const name of ['alpha', 'beta', 'gamma', 'delta', 'omega']) server.tool(name, {}, () => name)
  server.use(toolSearch())
  await using client = await connect(server)
  expect((await client.tools().toArray())[0]?.description).toContain('5 tools')
  expect(await search(client, 'omega')).toContain('omega()')
})

test('calls in a gateway ask no server for its list again, unless the tool is new', async () => {
  let lists = 0
  const server = createMail().use((request, context, next) => {
    if (request.method === 'tools/list') lists++
    return next(request, context)
  })
  await using gateway = createGateway({ servers: { mail: server }, middleware: [toolSearch()] })
  await using client = await connect(gateway)
  await client.tools().toArray()
  const before = lists
  const read = () => client.callTool('call_tool', { name: 'mail__read_inbox' })
  for (let call = 0; call < 5; call++) expect((await read()).isError).not.toBe(true)
  expect(lists - before).toBe(0)
  server.tool('archive', {}, () => 'archived')
  expect(await client.callTool('call_tool', { name: 'mail__archive' })).toMatchObject({ content: [{ text: 'archived' }] })
})
