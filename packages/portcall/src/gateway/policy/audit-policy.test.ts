import { describe, expect, onTestFinished, test } from 'vitest'
import { secretSamples } from '../../../test-kit/secret-samples.ts'
import type { Client } from '../../client/types.ts'
import { connect } from '../../connect/connect.ts'
import { type Auth, deriveContext } from '../../jsonrpc/exchange.ts'
import { type AuditSink, verifyAuditLog } from '../../middleware/audit/trail.ts'
import { createServer } from '../../server/server.ts'
import type { GatewayEvent } from '../api/events.ts'
import { createGateway } from '../gateway.ts'
import { createApprovalQueue } from './approval-queue.ts'
import { type GatewayPoliciesOptions, gatewayPolicies } from './gateway-policies.ts'

function memorySink(): AuditSink & { readonly lines: string[] } {
  const lines: string[] = []
  return { lines, append: async (text) => void lines.push(...text.trimEnd().split('\n')), last: async () => lines.at(-1) }
}

interface Setup {
  readonly client: Client
  readonly sink: ReturnType<typeof memorySink>
  readonly events: GatewayEvent[]
  records(): Record<string, unknown>[]
}

async function open(options: Omit<GatewayPoliciesOptions, 'audit'>, audit: object = {}): Promise<Setup> {
  const sink = memorySink()
  const events: GatewayEvent[] = []
  const auth: Auth = { principal: 'ada', scopes: [] }
  const crm = createServer({ name: 'crm', version: '1' }, { onEvent: () => {} })
    .tool('read', { input: { type: 'object' } }, () => 'a note')
    .tool('fail', {}, () => Promise.reject<string>(new Error('broken')))
    .tool('pay', { input: { type: 'object' } }, () => 'paid')
    .tool('secret', {}, () => 'secret')
    .resource('file:///a.txt', { name: 'a' }, () => 'a')
  const gateway = createGateway({
    servers: { crm },
    policy: gatewayPolicies({ ...options, audit: { to: sink, ...audit } }).policies,
    middleware: [(request, context, next) => next(request, deriveContext(context, { auth }))],
    onEvent: (event) => events.push(event),
  })
  const client = await connect(gateway, { elicit: () => ({ action: 'accept', content: { approve: true } }) })
  onTestFinished(async () => {
    await client.close()
    await gateway.close()
  })
  return { client, sink, events, records: () => sink.lines.map((line) => JSON.parse(line)) }
}

describe('the audit log', () => {
  test('has a record for each call and decision', async () => {
    const { client, records, sink } = await open({
      default: 'allow',
      rules: [
        { name: 'no secrets', tools: 'secret', do: 'deny' },
        { name: 'four eyes', tools: 'pay', do: 'approve' },
        { name: 'no big payments', tools: 'pay', arguments: { amount: { min: 100 } }, do: 'deny' },
      ],
    })
    const meta = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' }
    await client.callTool('crm__read', { query: 'pears' }, { meta } as never)
    await client.callTool('crm__fail')
    await client.callTool('crm__secret').catch(() => {})
    await client.callTool('crm__nothing').catch(() => {})
    await client.callTool('crm__pay', { amount: 1 })
    await client.callTool('crm__pay', { amount: 100 })
    await client.readResource('file:///a.txt')
    expect(
      records().map(({ decision, rule, server, item, target, outcome }) => [decision, rule, server, item, target, outcome]),
    ).toEqual([
      ['allowed', 'default', 'crm', 'read', 'crm__read', 'ok'],
      ['allowed', 'default', 'crm', 'fail', 'crm__fail', 'failed'],
      ['denied', 'no secrets', 'crm', 'secret', 'crm__secret', 'error'],
      ['denied', 'not listed', 'crm', 'nothing', 'crm__nothing', 'error'],
      ['asked', 'four eyes', 'crm', 'pay', 'crm__pay', 'input_required'],
      ['approved', 'four eyes', 'crm', 'pay', 'crm__pay', 'ok'],
      ['denied', 'no big payments', 'crm', 'pay', 'crm__pay', 'failed'],
      ['allowed', 'default', 'crm', 'file:///a.txt', 'file:///a.txt', 'ok'],
    ])
    const [first] = records()
    expect(first).toMatchObject({ principal: 'ada', method: 'tools/call', kind: 'tool', bytes: expect.any(Number) })
    expect(first).toMatchObject({ argumentsHash: expect.stringMatching(/^[\w-]{43}$/), durationMs: expect.any(Number) })
    expect(first).not.toHaveProperty('arguments')
    expect(await verifyAuditLog(sink.lines)).toMatchObject({ intact: true, records: 8 })
    const edited = sink.lines.map((line, at) => (at === 2 ? line.replace('denied', 'allowed') : line))
    expect(await verifyAuditLog(edited)).toMatchObject({ intact: false, records: 2 })
  })

  test('has what an approval queue decides', async () => {
    const approver = createApprovalQueue()
    const { client, records } = await open({
      default: 'approve',
      rules: [{ tools: 'read', do: 'allow' }],
      approvals: { approver, askUser: false },
    })
    await client.callTool('crm__pay')
    const [waiting] = await approver.list()
    await approver.approve(waiting?.id ?? '')
    await client.callTool('crm__pay')
    expect(records().map(({ decision, rule, outcome }) => [decision, rule, outcome])).toEqual([
      ['asked', 'default', 'failed'],
      ['approved', 'default', 'ok'],
    ])
  })

  test('has the limit that refused a call, a read or a result', async () => {
    const { client, records } = await open({
      default: 'allow',
      rules: [{ tools: 'secret', do: 'deny' }],
      limits: [
        { name: 'one an hour', tools: 'read', rate: { limit: 1, intervalMs: 3_600_000 } },
        { resources: '*', rate: { limit: 1, intervalMs: 3_600_000 } },
        { name: 'short', tools: 'pay', maxResultBytes: 10 },
        { name: 'large', maxResultBytes: 10_000 },
      ],
    })
    for (let round = 0; round < 2; round++) {
      await client.callTool('crm__read')
      await client.readResource('file:///a.txt').catch(() => {})
    }
    await client.callTool('crm__pay')
    expect(records().map(({ decision, rule, item, outcome }) => [decision, rule, item, outcome])).toEqual([
      ['allowed', 'default', 'read', 'ok'],
      ['allowed', 'default', 'file:///a.txt', 'ok'],
      ['limited', 'one an hour', 'read', 'failed'],
      ['limited', 'limit 2', 'file:///a.txt', 'error'],
      ['limited', 'short', 'pay', 'failed'],
    ])
  })

  test('has unknown names of unknown servers', async () => {
    const { client, records } = await open({})
    await client.callTool('nothing').catch(() => {})
    expect(records()).toMatchObject([{ decision: 'denied', rule: 'not found', target: 'nothing' }])
  })

  test('and the events contain no secrets, even if arguments are recorded', async () => {
    const samples = secretSamples()
    const { client, sink, events } = await open({}, { arguments: true })
    for (const { value, secret } of samples) {
      await client.callTool('crm__read', value as Record<string, unknown>)
      await client.readResource(`file:///a.txt?key=${encodeURIComponent(secret)}`).catch(() => {})
    }
    const text = sink.lines.join('\n') + JSON.stringify(events.filter(({ type }) => type !== 'call'))
    expect(sink.lines).toHaveLength(2 * samples.length)
    expect(text).toContain('[redacted]')
    expect(samples.filter(({ secret }) => text.includes(secret) || text.includes(JSON.stringify(secret).slice(1, -1)))).toEqual(
      [],
    )
  })

  test('fails the call if it cannot be written, unless it should continue', async () => {
    const append = () => Promise.reject(new Error('The disk is full'))
    const to = { append, last: async () => undefined }
    const closed = await open({}, { to, onError: () => {} })
    await expect(closed.client.callTool('crm__read')).rejects.toThrow()
    const open_ = await open({}, { to, onError: () => {}, onFailure: 'continue' })
    expect(await open_.client.callTool('crm__read')).toMatchObject({ content: [{ text: 'a note' }] })
  })
})

test('rules need a default', () => {
  expect(() => gatewayPolicies({ rules: [{ tools: 'x', do: 'deny' }] })).toThrow('default is missing')
})
