import { expect, onTestFinished, test } from 'vitest'
import type { Client } from '../../client/types.ts'
import { connect } from '../../connect/connect.ts'
import { applyMiddleware } from '../../jsonrpc/exchange.ts'
import { UNAVAILABLE_META } from '../../protocol/meta.ts'
import { createServer } from '../../server/server.ts'
import { createGateway } from '../gateway.ts'
import { type ToolSetOptions, toolSet } from './tool-set.ts'

async function open(options: ToolSetOptions): Promise<Client> {
  const input = {
    type: 'object',
    properties: { channel: { type: 'string' }, text: { type: 'string' }, token: { type: 'string' } },
    required: ['channel', 'text'],
    anyOf: [{ required: ['channel'] }, { required: ['text'] }],
  } as const
  const chat = createServer({ name: 'chat', version: '1' })
    .tool('post', { description: 'Posts', input }, (args) => JSON.stringify(args))
    .tool('delete', {}, () => 'deleted')
    .prompt('greet', {}, () => 'Hello')
    .prompt('leave', {}, () => 'Bye')
    .resource('chat://public/1', { name: 'one' }, () => 'one')
    .resource('chat://private/2', { name: 'two' }, () => 'two')
  const gateway = createGateway({ servers: { chat }, middleware: [toolSet(options)] })
  const client = await connect(gateway)
  onTestFinished(async () => {
    await client.close()
    await gateway.close()
  })
  return client
}

test('what is not in the set is not listed, and unknown', async () => {
  const client = await open({ tools: 'chat__*', exclude: '*__delete', prompts: '*greet', resources: 'chat://public/*' })
  expect((await client.tools().toArray()).map(({ name }) => name)).toEqual(['chat__post'])
  expect((await client.prompts().toArray()).map(({ name }) => name)).toEqual(['chat__greet'])
  expect((await client.resources().toArray()).map(({ uri }) => uri)).toEqual(['chat://public/1'])
  await expect(client.callTool('chat__delete')).rejects.toThrow('Unknown tool: chat__delete')
  await expect(client.getPrompt('chat__leave')).rejects.toThrow('Unknown prompt: chat__leave')
  await expect(client.readResource('chat://private/2')).rejects.toThrow('not found')
  await expect(client.readResource('chat://public/../private/2')).rejects.toThrow('not found')
  expect(await client.readResource('chat://public/1')).toMatchObject({ contents: [{ text: 'one' }] })
})

test('a tool has another name and description, and a fixed argument that cannot be overridden', async () => {
  const client = await open({
    tools: 'chat__post',
    changes: {
      chat__post: {
        name: 'announce',
        description: 'Posts to #news',
        arguments: { channel: { fixed: 'news' }, token: { hidden: true } },
      },
    },
  })
  const [tool, ...others] = await client.tools().toArray()
  expect(others).toEqual([])
  expect(tool).toMatchObject({ name: 'announce', description: 'Posts to #news' })
  expect(JSON.stringify(tool)).not.toMatch(/"(channel|token)"/)
  const results = await Promise.all([
    client.callTool('announce', { text: 'Hi' }),
    client.callTool('announce', { text: 'Hi', channel: 'general', token: 'x' }, { unchecked: true } as never),
    client.callTool('announce', { text: 'Hi', Channel: 'general', toKen: 'x' }, { unchecked: true } as never),
  ])
  for (const { content } of results)
    expect(JSON.parse((content as { text: string }[])[0]?.text ?? '')).toEqual({ text: 'Hi', channel: 'news' })
  await expect(client.callTool('chat__post', { text: 'Hi', channel: 'x' })).rejects.toThrow('Unknown tool: chat__post')
})

test('two tools cannot get the same name', () => {
  expect(() => toolSet({ changes: { a: { name: 'c' }, b: { name: 'c' } } })).toThrow('several tools the same name')
})

test('servers without items in the set are not named, neither missing ones nor their instructions', async () => {
  const refuse = (): Promise<never> => Promise.reject(new Error('gone'))
  const gateway = createGateway({
    servers: {
      chat: createServer({ name: 'chat', version: '1' }, { instructions: 'Be brief' }).tool('post', {}, () => 'posted'),
      'chat-archive': refuse,
      crm: { target: refuse, required: true },
      secret: { target: createServer({ name: 'secret', version: '1' }, { instructions: 'Ask Eve' }).tool('x', {}, () => 'x') },
      renamed: { target: refuse, alias: 'notes' },
    },
  })
  onTestFinished(() => gateway.close())
  const through = async (options: ToolSetOptions) => {
    const client = await connect(applyMiddleware(gateway.exchange, [toolSet(options)]))
    onTestFinished(() => client.close())
    const { _meta: meta = {} } = await client.request('tools/list')
    const { instructions } = await client.request('server/discover')
    return [Object.keys((meta as { [key: string]: object })[UNAVAILABLE_META] ?? {}), instructions]
  }
  expect(await through({ tools: 'chat__*', prompts: [], resources: [] })).toEqual([[], '## chat\n\nBe brief'])
  expect(await through({ tools: ['chat__post', 'notes__find*', 'chat-*'], prompts: [], resources: [] })).toEqual([
    ['chat-archive', 'renamed'],
    '## chat\n\nBe brief',
  ])
  expect(await through({ exclude: ['crm__*', 'secret__*', 'notes__x'], prompts: [], resources: [] })).toEqual([
    ['chat-archive', 'renamed'],
    '## chat\n\nBe brief',
  ])
  expect(await through({ tools: [], prompts: 'notes__*', resources: [] })).toEqual([['renamed'], undefined])
  await expect(through({ tools: '*__find' })).rejects.toThrow('The server crm, which is required')
})

test('skills are in the set if their URIs match its resources', async () => {
  const skills = ['skill://notes+/public/a', 'skill://notes+/private/b'].map((uri) => ({ uri }))
  const send = async (options: ToolSetOptions, method: string, params = {}): Promise<unknown> => {
    const exchange = applyMiddleware(
      async ({ id }) => ({ jsonrpc: '2.0', id, result: method === 'skills/list' ? { skills } : { skill: params } }),
      [toolSet(options)],
    )
    const response = await exchange(
      { jsonrpc: '2.0', id: 1, method, params },
      { signal: new AbortController().signal, notify() {} },
    )
    return 'result' in response ? response.result : response
  }
  const [open, secret] = skills
  const set = { resources: 'skill://*/public/*' }
  expect(await send(set, 'skills/list')).toEqual({ skills: [open] })
  expect(await send({}, 'skills/list')).toEqual({ skills })
  expect(await send(set, 'skills/get', open)).toEqual({ skill: open })
  await expect(send(set, 'skills/get', secret)).rejects.toThrow('Unknown skill: skill://notes+/private/b')
})
