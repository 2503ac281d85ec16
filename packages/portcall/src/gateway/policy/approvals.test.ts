import { describe, expect, onTestFinished, test } from 'vitest'
import type { Client } from '../../client/types.ts'
import { connect } from '../../connect/connect.ts'
import type { ConnectOptions } from '../../connect/options.ts'
import { type Auth, deriveContext, type Exchange } from '../../jsonrpc/exchange.ts'
import { isSuccess, type JsonObject } from '../../jsonrpc/message.ts'
import { createServer } from '../../server/server.ts'
import { createMemoryStore } from '../../stores/memory/store.ts'
import { createGateway, type Gateway } from '../gateway.ts'
import { accessRules } from './access-rules.ts'
import { createApprovalQueue } from './approval-queue.ts'
import type { ApprovalOptions } from './approvals.ts'
import type { PolicyReport } from './report.ts'

interface Setup {
  readonly gateway: Gateway
  readonly reports: PolicyReport[]
  /** The arguments of the calls that reached the server. */
  readonly calls: unknown[]
}

function open(approvals: ApprovalOptions = {}, auth?: Auth): Setup {
  const calls: unknown[] = []
  const reports: PolicyReport[] = []
  const crm = createServer({ name: 'crm', version: '1' })
    .tool('delete', { input: { type: 'object' } }, (args) => {
      calls.push(args)
      return 'deleted'
    })
    .prompt('report', {}, () => 'report')
  const gateway = createGateway({
    servers: { crm },
    policy: accessRules({
      default: 'allow',
      rules: [{ name: 'careful', servers: 'crm', do: 'approve' }],
      approvals,
      onReport: (report) => reports.push(report),
    }),
    middleware: [(request, context, next) => next(request, deriveContext(context, { auth }))],
    ...(approvals.store && { stores: { store: approvals.store } as never }),
  })
  onTestFinished(() => gateway.close())
  return { gateway, reports, calls }
}

async function clientOf(gateway: Gateway, options?: ConnectOptions): Promise<Client> {
  const client = await connect(gateway, options)
  onTestFinished(() => client.close())
  return client
}

const yes = { action: 'accept', content: { approve: true } } as const
const textOf = ({ content }: { content: unknown }): string => (content as { text: string }[])[0]?.text ?? ''

/** Sends requests as a client that keeps the request state itself. */
function sender({ exchange }: Gateway, form = true): (params: JsonObject) => Promise<JsonObject> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': form ? { elicitation: { form: {} } } : {},
  }
  return async (params) => {
    const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'crm__delete', ...params, _meta } } as const
    const response = await (exchange as Exchange)(request, { signal: new AbortController().signal, notify() {} })
    return isSuccess(response) ? response.result : { error: response.error }
  }
}

describe('a user', () => {
  test('is shown the exact call, and approves it', async () => {
    const { gateway, calls, reports } = open()
    const messages: string[] = []
    const client = await clientOf(gateway, {
      elicit: ({ message }) => {
        messages.push(message)
        return yes
      },
    })
    expect(textOf(await client.callTool('crm__delete', { id: 7, note: 'pay\u200B me \u{E0041}' }))).toBe('deleted')
    expect(calls).toHaveLength(1)
    expect(messages).toEqual([
      'Approve this call of the tool "delete" on the server "crm"?\n\n{\n  "id": 7,\n  "note": "pay<U+200B> me <U+E0041>"\n}',
    ])
    expect(reports.map(({ outcome, rule }) => [outcome, rule])).toEqual([
      ['asked', 'careful'],
      ['approved', 'careful'],
    ])
    expect(await client.getPrompt('crm__report')).toMatchObject({ messages: [{ content: { text: 'report' } }] })
  })

  test.each([[{ action: 'decline' }], [{ action: 'cancel' }], [{ action: 'accept', content: { approve: false } }]] as const)(
    'who answers %j does not',
    async (answer) => {
      const { gateway, calls, reports } = open()
      const client = await clientOf(gateway, { elicit: () => answer })
      expect(await client.callTool('crm__delete')).toMatchObject({
        isError: true,
        content: [{ text: 'The user did not approve this call' }],
      })
      expect(reports.at(-1)?.outcome).toBe('declined')
      expect(calls).toEqual([])
    },
  )

  test('of a client without forms is not asked', async () => {
    const { gateway, calls, reports } = open()
    const client = await clientOf(gateway)
    expect(textOf(await client.callTool('crm__delete'))).toContain('this client cannot ask its user')
    await expect(client.getPrompt('crm__report')).rejects.toThrow('this client cannot ask its user')
    expect(reports.map(({ outcome }) => outcome)).toEqual(['refused', 'refused'])
    expect(calls).toEqual([])
  })

  test('is not shown a part of a call', async () => {
    const { gateway, calls } = open()
    const client = await clientOf(gateway, { elicit: () => yes })
    expect(textOf(await client.callTool('crm__delete', { text: 'x'.repeat(30_000) }))).toContain('too long to be shown')
    expect(calls).toEqual([])
  })
})

describe('an approval', () => {
  const approve = ({ inputRequests }: JsonObject) =>
    Object.fromEntries(Object.keys(inputRequests as object).map((key) => [key, yes]))

  test('is refused for other arguments', async () => {
    const { gateway, calls } = open()
    const send = sender(gateway)
    const asked = await send({ arguments: { id: 1 } })
    const answer = { requestState: asked.requestState, inputResponses: approve(asked) }
    expect(await send({ arguments: { id: 2 }, ...answer })).toMatchObject({ error: { code: -32602 } })
    const other = await send({ arguments: { id: 2 } })
    // The state of the other call, with the approval of the first.
    expect(await send({ arguments: { id: 2 }, requestState: other.requestState, inputResponses: approve(asked) })).toMatchObject({
      isError: true,
    })
    expect(calls).toEqual([])
  })

  test('is used once, also if many requests use it at the same time', async () => {
    const { gateway, calls } = open()
    const send = sender(gateway)
    const asked = await send({ arguments: { id: 1 } })
    const answer = { arguments: { id: 1 }, requestState: asked.requestState, inputResponses: approve(asked) }
    const results = await Promise.all(Array.from({ length: 20 }, () => send(answer)))
    expect(results.filter(({ isError }) => !isError)).toHaveLength(1)
    expect(textOf((await send(answer)) as { content: unknown })).toContain('has expired or was used before')
    expect(calls).toHaveLength(1)
  })

  test('expires', async () => {
    let now = 0
    const store = createMemoryStore({ now: () => now })
    const { gateway, calls } = open({ store, ttlMs: 1000 })
    const send = sender(gateway)
    const asked = await send({ arguments: {} })
    now = 1001
    expect(await send({ arguments: {}, requestState: asked.requestState, inputResponses: approve(asked) })).toMatchObject({
      isError: true,
    })
    expect(calls).toEqual([])
  })

  test('belongs to its caller', async () => {
    const store = createMemoryStore()
    const [ada, bob] = [open({ store }, { principal: 'ada' }), open({ store }, { principal: 'bob' })]
    const asked = await sender(ada.gateway)({ arguments: {} })
    const answer = { arguments: {}, inputResponses: approve(asked) }
    expect(await sender(bob.gateway)({ ...answer, requestState: asked.requestState })).toHaveProperty('error')
    const own = await sender(bob.gateway)({ arguments: {} })
    expect(await sender(bob.gateway)({ ...answer, requestState: own.requestState })).toMatchObject({ isError: true })
    expect(bob.calls).toEqual([])
  })
})

describe('an approval queue', () => {
  test('approves a call once', async () => {
    const queue = createApprovalQueue()
    const { gateway, calls, reports } = open({ approver: queue, askUser: false }, { principal: 'ada' })
    const client = await clientOf(gateway, { elicit: () => yes })
    expect(textOf(await client.callTool('crm__delete', { id: 1 }))).toContain('This call waits for approval')
    expect(textOf(await client.callTool('crm__delete', { id: 1 }))).toContain('This call waits for approval')
    const [waiting, ...others] = await queue.list()
    expect(others).toEqual([])
    expect(waiting).toMatchObject({
      server: 'crm',
      name: 'delete',
      arguments: { id: 1 },
      principal: 'ada',
      rule: 'careful',
      state: 'pending',
    })
    expect(await queue.approve(waiting?.id ?? '', 'grace')).toBe(true)
    expect(await queue.approve(waiting?.id ?? '', 'grace')).toBe(false)
    expect((await queue.list())[0]).toMatchObject({ state: 'approved', decidedBy: 'grace' })
    expect(textOf(await client.callTool('crm__delete', { id: 2 }))).toContain('This call waits for approval')
    const results = await Promise.all(Array.from({ length: 10 }, () => client.callTool('crm__delete', { id: 1 })))
    expect(results.filter(({ isError }) => !isError)).toHaveLength(1)
    expect(calls).toEqual([{ id: 1 }])
    expect(reports.filter(({ outcome }) => outcome === 'approved')).toHaveLength(1)
  })

  test('denies a call', async () => {
    const queue = createApprovalQueue()
    const { gateway, calls } = open({ approver: queue })
    const client = await clientOf(gateway)
    await client.callTool('crm__delete')
    const [waiting] = await queue.list()
    expect(await queue.deny(waiting?.id ?? '')).toBe(true)
    expect(textOf(await client.callTool('crm__delete'))).toBe('The approver denied this call')
    expect(await queue.deny('unknown')).toBe(false)
    expect(calls).toEqual([])
  })

  test('has ids that a command line does not take for options', async () => {
    const queue = createApprovalQueue({ maxPrincipalQueued: 500 })
    const { gateway } = open({ approver: queue })
    const client = await clientOf(gateway)
    // One of 64 digests begins with a dash.
    await Promise.all(Array.from({ length: 500 }, (_, id) => client.callTool('crm__delete', { id })))
    const ids = (await queue.list()).map(({ id }) => id)
    expect(ids).toHaveLength(500)
    expect(ids.filter((id) => id.startsWith('-'))).toEqual([])
  })

  test('is bounded', async () => {
    const queue = createApprovalQueue({ maxQueued: 2 })
    const { gateway } = open({ approver: queue })
    const client = await clientOf(gateway)
    for (const id of [1, 2, 3]) await client.callTool('crm__delete', { id })
    expect(await queue.list()).toHaveLength(2)
  })
})
