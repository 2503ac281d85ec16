import { describe, expect, onTestFinished, test } from 'vitest'
import { events } from '../events/server/extension.ts'
import type { JsonObject } from '../jsonrpc/message.ts'
import { clientMeta } from '../protocol/probes.ts'
import { createServer } from '../server/server.ts'
import type { GatewayOptions } from './api/options.ts'
import { createGateway } from './gateway.ts'
import { gatewayEntries } from './lists/gateway-entries.ts'
import { accessRules } from './policy/access-rules.ts'
import { serverPaths } from './policy/server-paths.ts'
import { toolSets } from './policy/tool-sets.ts'

function createNotes(name: string) {
  const server = createServer({ name, version: '1.0.0' }, { extensions: [events()], instructions: `About ${name}` })
  server.tool('latest', {}, () => name)
  server.prompt('sum', {}, () => name)
  server.resource(`note://${name}`, { name: 'note' }, () => name)
  server.resource('note://both', { name: 'both' }, () => name)
  server.event('written', { description: 'A note', payload: { type: 'object' } })
  return server
}

function open(options: Partial<GatewayOptions> = {}) {
  const servers = { one: createNotes('one'), two: createNotes('two') }
  const gateway = createGateway({ servers, middleware: [serverPaths({ servers: ['one', 'two', 'gone'] })], ...options })
  onTestFinished(() => gateway.close())
  const at =
    (path: string) =>
    async (method: string, params: JsonObject = {}) => {
      const request = {
        jsonrpc: '2.0' as const,
        id: 1,
        method,
        params: { ...params, _meta: clientMeta({ name: 'test', version: '1' }) },
      }
      const http = { target: path, header: () => undefined }
      const response = await gateway.exchange(request, { signal: new AbortController().signal, notify() {}, http })
      return 'result' in response ? (response.result as any) : { code: response.error.code }
    }
  return { gateway, at }
}

describe('the path of a server', () => {
  test('lists and finds what belongs to the server, and nothing else', async () => {
    const { at } = open()
    const one = at('/mcp/servers/one')
    expect((await at('/mcp')('tools/list')).tools).toHaveLength(2)
    const names = async (method: string, key: string) => (await one(method))[key].map((item: JsonObject) => item.name ?? item.uri)
    expect(await names('tools/list', 'tools')).toEqual(['one__latest'])
    expect(await names('prompts/list', 'prompts')).toEqual(['one__sum'])
    expect(await names('events/list', 'events')).toEqual(['one__written'])
    expect((await one('resources/list')).resources.map(({ uri }: JsonObject) => uri)).toEqual(['note://one', 'note://both'])
    const two = at('/mcp/servers/two')
    expect((await two('resources/list')).resources.map(({ uri }: JsonObject) => uri)).toEqual(['note://two', 'two+note://both'])
    expect((await two('resources/read', { uri: 'two+note://both' })).contents[0].text).toBe('two')
    expect((await one('tools/call', { name: 'one__latest' })).content[0].text).toBe('one')
    for (const uri of ['note://one', 'note://both']) expect((await one('resources/read', { uri })).contents[0].text).toBe('one')
    const others: [string, JsonObject][] = [
      ['tools/call', { name: 'two__latest' }],
      ['prompts/get', { name: 'two__sum' }],
      ['resources/read', { uri: 'note://two' }],
      ['resources/read', { uri: 'two+note://both' }],
      ['events/poll', { name: 'two__written', arguments: {}, cursor: null }],
    ]
    for (const [method, params] of others) {
      expect(await at('/mcp')(method, params)).not.toHaveProperty('code')
      expect([method, (await one(method, params)).code]).toEqual([method, method === 'events/poll' ? -32023 : -32602])
    }
    const { instructions } = await one('server/discover')
    expect(instructions).toMatch(/About one/)
    expect(instructions).not.toMatch(/two/)
  })

  test('may have an inner path, and has no others', async () => {
    const { at } = open({
      middleware: [serverPaths({ servers: ['one', 'two', 'gone'] }), toolSets({ sets: { few: { tools: 'two__*' } } })],
    })
    expect((await at('/mcp/servers/one')('tools/list')).tools).toHaveLength(1)
    expect((await at('/mcp/few')('tools/list')).tools).toHaveLength(1)
    for (const path of ['/mcp/servers/three', '/mcp/servers/', '/mcp/servers/one/more'])
      expect(await at(path)('tools/list')).toEqual({ code: -32601 })
    expect((await at('/mcp/servers/gone')('tools/list')).tools).toEqual([])
  })
})

describe('gatewayEntries', () => {
  const entriesOf = async (options: Partial<GatewayOptions> = {}) =>
    (await gatewayEntries(open(options).gateway)(new URL('https://gateway.example.com/mcp'))).map(({ identifier }) => identifier)

  test('CARD-027 CARD-028 have a card with the path of each server', async () => {
    const entries = await gatewayEntries(open().gateway)(new URL('https://gateway.example.com/mcp'))
    expect(entries[0]).toMatchObject({
      identifier: 'urn:air:gateway.example.com:gateway:one',
      type: 'application/mcp-server-card+json',
      data: {
        name: 'com.example.gateway/one',
        version: '1.0.0',
        remotes: [{ type: 'streamable-http', url: 'https://gateway.example.com/mcp/servers/one' }],
      },
    })
    expect(entries).toHaveLength(2)
  })

  test('leave out what callers without authorization may not know, and servers that do not respond', async () => {
    const rules = [{ servers: 'one', unless: { principals: '*' }, do: 'deny' as const }]
    expect(await entriesOf({ policy: accessRules({ default: 'allow', rules }) })).toEqual([
      'urn:air:gateway.example.com:gateway:two',
    ])
    const silent = { exchange: () => new Promise<never>(() => {}) }
    expect(await entriesOf({ servers: { silent: { target: silent, listTimeoutMs: 50 }, two: createNotes('two') } })).toEqual([
      'urn:air:gateway.example.com:gateway:two',
    ])
  })

  test('leave out servers whose information makes no card', async () => {
    const odd = createServer({ name: 'odd', version: '^1.0.0' })
    expect(await entriesOf({ servers: { odd, two: createNotes('two') } })).toEqual(['urn:air:gateway.example.com:gateway:two'])
  })
})
