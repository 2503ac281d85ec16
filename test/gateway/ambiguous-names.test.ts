import type { Exchange } from 'portcall'
import { type AccessRule, accessRules, bridge, type GatewayCall, type GatewayPolicy } from 'portcall/gateway'
import { httpHandler } from 'portcall/http'
import { expect, onTestFinished, test } from 'vitest'
import { createRandom } from '../../packages/portcall/test-kit/random.ts'

/** `CHANGED_BODIES` sets another number, such as 100,000. */
const BODIES = Number(process.env.CHANGED_BODIES ?? 20_000)
const META = JSON.stringify({
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'mutated', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
})
const HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tools/call',
}
const answer = (id: string | number, result: Record<string, unknown>) => ({ jsonrpc: '2.0' as const, id, result })
const TOOLS = ['read', 'delete', 'pay'].map((name) => ({ name, inputSchema: { type: 'object' } }))

/** Writes JSON with members that are repeated, or spelled or ordered in another way. */
function createWriter(random: (below: number) => number) {
  const pick = <T>(values: readonly T[]): T => values[random(values.length)] as T
  const space = (): string => pick(['', '', '', ' ', '\n\t'])
  const escapeOne = (text: string): string => {
    const at = random(text.length)
    return `${text.slice(0, at)}\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}${text.slice(at + 1)}`
  }
  const change = [
    (name: string) => name,
    (name: string) => escapeOne(name),
    (name: string) => name.toUpperCase(),
    (name: string) => `${name[0]?.toUpperCase()}${name.slice(1)}`,
    (name: string) => name.replace('s', 'ſ').replace('k', '\u212a'),
  ]
  const spell = (name: string): string => (random(12) > 0 ? name : pick(change)(name))
  const object = (members: [name: string, text: string][]): string => {
    if (random(3) === 0) members.push(members.splice(random(members.length), 1)[0] ?? ['x', '1'])
    return `{${space()}${members.map(([name, text]) => `"${spell(name)}"${space()}:${space()}${text}`).join(',')}${space()}}`
  }
  /** Adds another value of a member to some objects. */
  const maybe = (name: string, text: string): [string, string][] => (random(8) === 0 ? [[name, text]] : [])
  const createBody = (id: number, name: string): string => {
    const amount = pick(['1', '5000'])
    const args = object([['amount', amount], ...maybe('amount', '5000'), ['note', '{"a":1,"A":2}']])
    const params = object([
      ['name', `"${name}"`],
      ...maybe('name', '"delete"'),
      ['arguments', args],
      ...maybe('arguments', '{"amount":5000}'),
      ['_meta', META],
    ])
    const method: [string, string] = ['method', '"tools/call"']
    return object([['jsonrpc', '"2.0"'], ['id', String(id)], method, ...maybe('method', '"x/y"'), ['params', params]])
  }
  return { pick, createBody }
}

/** Reads a call as programs do that ignore case, such as those in Go: the last member counts. */
function readIgnoringCase(text: string): { method: unknown; name: unknown; amount: unknown } {
  const fold = (key: string): string => key.toUpperCase().toLowerCase()
  const lower = (value: unknown): unknown =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).map(([key, member]) => [fold(key), lower(member)]))
      : value
  const { method, params } = lower(JSON.parse(text)) as {
    method: unknown
    params: { name: unknown; arguments?: { amount?: unknown } }
  }
  return { method, name: params.name, amount: params.arguments?.amount }
}

/** A bridge whose policies forbid `delete` and large payments, and what they decide and the server receives. */
function open() {
  const received: string[] = []
  const decided: GatewayCall[] = []
  const exchange: Exchange = async ({ id, method, params }) => {
    if (method === 'tools/list') return answer(id, { tools: TOOLS, ttlMs: 3_600_000, cacheScope: 'public' })
    if (method === 'server/discover') return answer(id, { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } })
    received.push(JSON.stringify({ method, params }))
    return answer(id, { content: [] })
  }
  const rules: AccessRule[] = [
    { tools: 'delete', do: 'deny' },
    { tools: 'pay', arguments: { amount: { min: 1000 } }, do: 'deny' },
  ]
  const observer: GatewayPolicy = { decide: (call) => (decided.push(call) > 0 ? 'allow' : 'deny') }
  const gateway = bridge({ exchange }, { policy: [accessRules({ default: 'allow', rules }), observer] })
  onTestFinished(() => gateway.close())
  return { handle: httpHandler(gateway), received, decided }
}

test('of 20,000 changed bodies, the server reads what the policies decided about, or nothing', {
  timeout: 600_000,
}, async () => {
  const { handle, received, decided } = open()
  const { pick, createBody } = createWriter(createRandom(36).below)
  const outcomes: Record<string, number> = {}
  for (let id = 0; id < BODIES; id++) {
    const name = pick(['read', 'delete', 'pay'])
    const body = createBody(id, name)
    const headers = { ...HEADERS, 'mcp-name': pick([name, name, name, 'read']) }
    const response = await handle(new Request('http://localhost/mcp', { method: 'POST', headers, body }))
    const answer = await response.text()
    const code = /"code":(-?\d+)/.exec(answer)?.[1]
    const outcome = received.length > 0 ? 'sent' : (code ?? (answer === '' ? 'notification' : 'denied'))
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
    for (const text of received.splice(0)) {
      const call = decided.pop()
      const { name: sent, amount, method } = readIgnoringCase(text)
      expect([method, sent], body).toEqual(['tools/call', call?.name])
      expect(sent).not.toBe('delete')
      // No rule reads the arguments of other tools.
      if (sent === 'pay') expect([amount, call?.args?.amount], body).toEqual([1, 1])
    }
    decided.length = 0
  }
  for (const outcome of ['sent', 'denied', '-32600', '-32602', '-32020'])
    expect(outcomes[outcome], outcome).toBeGreaterThan(BODIES / 100)
})
