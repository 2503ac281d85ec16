import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Exchange } from '../../jsonrpc/exchange.ts'
import { type JsonObject, success } from '../../jsonrpc/message.ts'
import { httpHandler } from '../../serve/http.ts'
import { createServer } from '../../server/server.ts'
import { bridge } from '../bridge.ts'
import { accessRules } from './access-rules.ts'
import { hasUniqueNames } from './duplicate-members.ts'

const META = JSON.stringify({
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'written', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
})
const HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tools/call',
  'mcp-name': 'pay',
}

/** Sends a call with these params to a gateway with a rule about an argument. */
async function post(params: string): Promise<JsonObject> {
  const server = createServer({ name: 'shop', version: '1' }).tool('pay', { input: { type: 'object' } }, () => 'paid')
  const policy = accessRules({ default: 'allow', rules: [{ tools: 'pay', arguments: { amount: { min: 1000 } }, do: 'deny' }] })
  const gateway = bridge(server, { policy })
  onTestFinished(() => gateway.close())
  const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":${META},${params}}}`
  const response = await httpHandler(gateway)(new Request('http://localhost/mcp', { method: 'POST', headers: HEADERS, body }))
  return { status: response.status, ...((await response.json()) as JsonObject) }
}

describe('names of members that programs may read differently', () => {
  test.each([
    ['"name":"pay","n\\u0061me":"delete"', -32600, 'Invalid request: an object has several members with the same name'],
    ['"name":"pay","arguments":{"list":[{"a":1, "a" :2}]}', -32600, 'several members with the same name'],
    ['"name":"pay","arguments":{"at":"10:30","at":"11:30"}', -32600, 'several members with the same name'],
    ['"name":"pay","Name":"delete"', -32602, 'Invalid params: "Name" must be written "name"'],
    ['"name":"pay","argumentſ":{"amount":5000}', -32602, '"argumentſ" must be written "arguments"'],
    ['"name":"pay","arguments":{"Amount":5000}', -32602, 'the argument "Amount" must be written "amount"'],
  ])('are an error: %s', async (params, code, message) => {
    const error = { code, message: expect.stringContaining(message) as string }
    expect(await post(params)).toMatchObject({ ...(code === -32600 && { status: 400 }), error })
  })

  test('are those of the object itself, whatever a library adds to all objects', async () => {
    Object.assign(Object.prototype, { Name: 'added' })
    onTestFinished(() => void Reflect.deleteProperty(Object.prototype, 'Name'))
    expect(await post('"name":"pay","arguments":{"amount":1}')).toHaveProperty('result')
    const twice = await post('"name":"pay","arguments":{"amount":1,"amount":5000}')
    expect(twice).toMatchObject({ error: { code: -32600 } })
  })

  test('and others, which may differ in case, are passed on', async () => {
    const params = '"name":"pay","arguments":{"amount":1,"words":{"a":1,"A":2},"text":"{\\"a\\":1,\\"a\\":2}","\\\\":":"}'
    expect(await post(params)).toHaveProperty('result')
  })
})

test('are found wherever quotation marks, colons, backslashes and white space stand', () => {
  const string = fc.string({ unit: fc.constantFrom('"', ':', '\\', ' ', ',', '{', 'a'), maxLength: 3 })
  const space = fc.constantFrom('', ' ', '\n\t')
  const { json } = fc.letrec<{ json: { text: string; isUnique: boolean } }>((tie) => ({
    json: fc.oneof(
      { depthSize: 'small' },
      string.map((text) => ({ text: JSON.stringify(text), isUnique: true })),
      fc.array(fc.tuple(string, space, space, tie('json')), { maxLength: 4 }).map((members) => ({
        text: `{${members.map(([name, before, after, { text }]) => `${before}${JSON.stringify(name)}${after}:${before}${text}`).join(',')}}`,
        isUnique: new Set(members.map(([name]) => name)).size === members.length && members.every((member) => member[3].isUnique),
      })),
      fc.array(tie('json'), { maxLength: 3 }).map((items) => ({
        text: `[${items.map(({ text }) => text).join(', ')}]`,
        isUnique: items.every((item) => item.isUnique),
      })),
    ),
  }))
  fc.assert(
    fc.property(json, ({ text, isUnique }) => {
      expect(hasUniqueNames(JSON.parse(text), text)).toBe(isUnique)
    }),
    { numRuns: 2000 },
  )
})

test('a bridge passes on no members of a request but its method and params, and no methods of older revisions', async () => {
  const received: unknown[] = []
  const exchange: Exchange = async (request) => {
    received.push(Object.keys(request).sort())
    return success(request.id, { supportedVersions: ['2026-07-28'], capabilities: {} })
  }
  const gateway = bridge({ exchange })
  onTestFinished(() => gateway.close())
  const params = { _meta: JSON.parse(META) as JsonObject }
  const request = { jsonrpc: '2.0' as const, id: 1, method: 'shop/open', Method: 'tools/call', params }
  const context = { signal: new AbortController().signal, notify: () => {} }
  await gateway.exchange(request, context)
  expect(received).toEqual([['id', 'jsonrpc', 'method', 'params']])
  for (const method of ['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe', 'tasks/list'])
    expect(await gateway.exchange({ ...request, method }, context)).toMatchObject({ error: { code: -32601 } })
  expect(received).toHaveLength(1)
})
