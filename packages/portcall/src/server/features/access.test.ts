import { describe, expect, test } from 'vitest'
import { callerOf } from '../../../test-kit/server.ts'
import type { ExchangeContext } from '../../jsonrpc/exchange.ts'
import { createServer } from '../server.ts'

const http = { header: () => undefined }
const withScopes = (...scopes: string[]): Partial<ExchangeContext> => ({ http, auth: { principal: 'ann', scopes } })
const insufficientScope = (...scopes: string[]) => ({ code: -32600, data: { requiredScopes: scopes } })

function notes(onInsufficientScope: 'challenge' | 'hide') {
  const server = createServer({ name: 'notes', version: '1' }, { onInsufficientScope })
  const read = ['notes:read']
  server.tool('free', {}, () => 'free')
  server.tool('write', { scopes: ['notes:read', 'notes:write'] }, () => 'written')
  server.resource('note://1', { scopes: read }, () => 'one')
  server.resource('note://secret', { scopes: ['notes:secret'] }, () => 'secret')
  server.resource(
    'notes://{id}',
    { scopes: read, list: () => [{ uri: 'notes://7', name: 'seven' }], complete: { id: () => ['7'] } },
    ({ id }) => `note ${id}`,
  )
  server.prompt('review', { scopes: read }, () => 'Review')
  return callerOf(server)
}

const REQUESTS = [
  ['tools/call', { name: 'write' }, ['notes:read', 'notes:write']],
  ['resources/read', { uri: 'note://1' }, ['notes:read']],
  ['resources/read', { uri: 'notes://7' }, ['notes:read']],
  ['prompts/get', { name: 'review' }, ['notes:read']],
  [
    'completion/complete',
    { ref: { type: 'ref/resource', uri: 'notes://{id}' }, argument: { name: 'id', value: '' } },
    ['notes:read'],
  ],
  [
    'subscriptions/listen',
    { notifications: { resourceSubscriptions: ['note://1', 'note://secret'] } },
    ['notes:read', 'notes:secret'],
  ],
] as const

describe('an item that requires scopes', () => {
  test.each(REQUESTS)(
    'rejects %s with %j from callers without them, and lists all required scopes',
    async (method, params, scopes) => {
      const { error } = notes('challenge')
      expect(await error(method, params, withScopes('notes:write'))).toMatchObject(insufficientScope(...scopes))
      expect(await error(method, params, { http })).toMatchObject(insufficientScope(...scopes))
    },
  )

  test.each(REQUESTS.slice(0, -1))('allows %s with %j to callers that have them', async (method, params, scopes) => {
    expect(await notes('challenge').result(method, params, withScopes(...scopes))).toBeDefined()
    expect(await notes('hide').result(method, params, withScopes(...scopes))).toBeDefined()
  })

  test('requires nothing on transports without authentication', async () => {
    expect(await notes('challenge').result('tools/call', { name: 'write' })).toMatchObject({ content: [{ text: 'written' }] })
  })

  test('is listed, but the resources of a template are not', async () => {
    const { result } = notes('challenge')
    const names = async (method: string, key: string, scopes: string[]) =>
      ((await result(method, {}, withScopes(...scopes)))[key] as { name: string }[]).map(({ name }) => name)
    expect(await names('tools/list', 'tools', [])).toEqual(['free', 'write'])
    expect(await names('resources/list', 'resources', [])).toEqual(['note://1', 'note://secret'])
    expect(await names('resources/list', 'resources', ['notes:read'])).toEqual(['note://1', 'note://secret', 'seven'])
  })
})

describe('an item that is hidden from callers without its scopes', () => {
  test('is not listed', async () => {
    const { result } = notes('hide')
    const count = async (method: string, key: string, ...scopes: string[]) =>
      ((await result(method, {}, withScopes(...scopes)))[key] as unknown[]).length
    expect(await count('tools/list', 'tools')).toBe(1)
    expect(await count('tools/list', 'tools', 'notes:read', 'notes:write')).toBe(2)
    expect(await count('resources/list', 'resources')).toBe(0)
    expect(await count('resources/templates/list', 'resourceTemplates')).toBe(0)
    expect(await count('prompts/list', 'prompts')).toBe(0)
  })

  test('looks like an unknown item', async () => {
    const { error, result, notifications } = notes('hide')
    const none = withScopes()
    const hidden = await error('tools/call', { name: 'write' }, none)
    expect(hidden).toEqual({
      ...(await error('tools/call', { name: 'other' }, none)),
      message: 'Invalid params: Unknown tool: write',
    })
    expect((await error('resources/read', { uri: 'note://1' }, none)).data).toEqual({ uri: 'note://1' })
    const controller = new AbortController()
    const listening = result(
      'subscriptions/listen',
      { notifications: { resourceSubscriptions: ['note://1'] } },
      { ...none, signal: controller.signal },
    )
    await expect.poll(() => notifications.length).toBe(1)
    expect(notifications[0]?.params?.notifications).toEqual({})
    controller.abort()
    await listening
  })

  test('makes its list private', async () => {
    const cache = { tools: { ttlMs: 1000, cacheScope: 'public' } } as const
    const server = createServer({ name: 'x', version: '1' }, { cache })
    server.tool('shown', {}, () => 'x')
    const { result } = callerOf(server)
    expect(await result('tools/list')).toMatchObject({ cacheScope: 'public' })
    server.tool('hidden', { scopes: ['a'], onInsufficientScope: 'hide' }, () => 'x')
    expect(await result('tools/list')).toMatchObject({ cacheScope: 'private', ttlMs: 1000 })
  })

  test('may have another policy than its server', async () => {
    const server = createServer({ name: 'x', version: '1' })
    server.tool('hidden', { scopes: ['a'], onInsufficientScope: 'hide' }, () => 'x')
    server.tool('shown', { scopes: ['a'] }, () => 'x')
    const { result } = callerOf(server)
    expect(await result('tools/list', {}, withScopes())).toMatchObject({ tools: [{ name: 'shown' }] })
  })
})

test('each caller gets the list of what the caller may see, whatever others asked for before', async () => {
  const { result } = notes('hide')
  const toolsFor = async (...scopes: string[]): Promise<string[]> => {
    const { tools } = (await result('tools/list', {}, withScopes(...scopes))) as { tools: { name: string }[] }
    return tools.map(({ name }) => name)
  }
  for (let round = 0; round < 2; round++) {
    expect(await toolsFor()).toEqual(['free'])
    expect(await toolsFor('notes:read', 'notes:write')).toEqual(['free', 'write'])
    expect(await toolsFor('notes:read')).toEqual(['free'])
  }
})

test('a registry that changes while a caller is checked shows nothing that the caller may not see', async () => {
  let goOn = (_: boolean): void => {}
  const checked = new Promise<boolean>((resolve) => {
    goOn = resolve
  })
  const server = createServer({ name: 'changing', version: '1' })
  server.tool('slow', { visible: () => checked }, () => '')
  server.tool('secret', { visible: ({ auth }) => auth?.principal === 'ann' }, () => '')
  const { result } = callerOf(server)
  const namesFor = async (principal: string): Promise<string[]> => {
    const { tools } = (await result('tools/list', {}, { http, auth: { principal } })) as { tools: { name: string }[] }
    return tools.map(({ name }) => name)
  }
  const before = namesFor('bob')
  server.tools.remove('slow')
  server.tool('slow', { visible: () => checked }, () => '')
  await Promise.resolve()
  const after = namesFor('ann')
  goOn(true)
  expect(await after).toEqual(['secret', 'slow'])
  expect(await before).toEqual(['slow'])
  expect(await namesFor('bob')).toEqual(['slow'])
})
