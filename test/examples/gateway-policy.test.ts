/** The examples of docs/gateway/policy.md. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { verifyAuditLog } from 'portcall/middleware'
import { assertText, connectPair } from 'portcall/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { gateway as approvals, approveAda } from '../../examples/gateway-approvals.ts'
import { createAuditedGateway } from '../../examples/gateway-audit.ts'
import { server as crm } from '../../examples/gateway-crm.ts'
import { gateway as limits } from '../../examples/gateway-limits.ts'
import { accept, createPinnedGateway } from '../../examples/gateway-pins.ts'
import { gateway as rules } from '../../examples/gateway-rules.ts'
import { gateway as set } from '../../examples/gateway-set.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

type Target = Parameters<typeof connectPair>[0]
type Client = Awaited<ReturnType<typeof connectPair>>

async function open(gateway: unknown, auth: object = {}, options: object = {}): Promise<Client> {
  const serve = { authenticate: () => ({ principal: 'ada', scopes: [], ...auth }) }
  const client = await connectPair(gateway as Target, { transport: 'http', serve, ...options })
  onTestFinished(() => client.close())
  return client
}

const namesOf = async (client: Client): Promise<string[]> => (await client.tools().toArray()).map(({ name }) => name)

function temporaryFile(name: string): string {
  const folder = temporaryFolder()
  return join(folder, name)
}

test('gateway-rules', async () => {
  expect(await namesOf(await open(rules))).toEqual(['crm__list_customers'])
  const asked: string[] = []
  const elicit = ({ message }: { message: string }) => {
    asked.push(message)
    return { action: 'accept', content: { approve: true } }
  }
  const sales = await open(rules, { groups: ['sales'] }, { elicit })
  expect(await namesOf(sales)).toEqual(['crm__list_customers', 'crm__delete_customer', 'crm__refund'])
  assertText(await sales.callTool('crm__refund', { amount: 10 }), 'Refunded 10')
  expect(await sales.callTool('crm__refund', { amount: 1000 })).toMatchObject({ isError: true })
  expect(asked).toEqual([])
  assertText(await sales.callTool('crm__delete_customer', { name: 'Ada' }), 'Deleted Ada')
  expect(asked).toHaveLength(1)
  const admin = await open(rules, { groups: ['sales'], scopes: ['crm:admin'] })
  assertText(await admin.callTool('crm__delete_customer', { name: 'Ada' }), 'Deleted Ada')
})

test('gateway-approvals', async () => {
  const client = await open(approvals)
  expect(await client.callTool('crm__delete_customer', { name: 'Ada' })).toMatchObject({ isError: true })
  await approveAda()
  assertText(await client.callTool('crm__delete_customer', { name: 'Ada' }), 'Deleted Ada')
  expect(await client.callTool('crm__delete_customer', { name: 'Ada' })).toMatchObject({ isError: true })
})

test('gateway-pins', async () => {
  const lock = temporaryFile('portcall.lock')
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  const error = vi.spyOn(console, 'error').mockImplementation(() => {})
  onTestFinished(() => void vi.restoreAllMocks())
  const client = await open(createPinnedGateway(lock))
  expect(await namesOf(client)).toHaveLength(3)
  crm.tool('export_all', { description: 'Export all customers' }, () => '')
  const later = await open(createPinnedGateway(lock))
  expect(await namesOf(later)).toHaveLength(3)
  expect(String(error.mock.calls)).toContain('new tool "export_all" of "crm"')
  await accept(lock)
  expect(String(log.mock.calls)).toContain('new tool "export_all" of "crm"')
  expect(await namesOf(await open(createPinnedGateway(lock)))).toHaveLength(4)
})

test('gateway-limits', async () => {
  const client = await open(limits)
  assertText(await client.callTool('crm__delete_customer', { name: 'Ada' }), 'Deleted Ada')
  expect(await client.callTool('crm__delete_customer', { name: 'Ada' })).toMatchObject({ isError: true })
  assertText(await client.callTool('crm__list_customers'), 'Ada, Grace')
})

test('gateway-audit', async () => {
  const file = temporaryFile('audit.jsonl')
  const client = await open(createAuditedGateway(file))
  await client.callTool('crm__list_customers')
  await client.callTool('crm__delete_customer', { name: 'Ada', iban: 'DE02' }).catch(() => {})
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { decision: 'allowed', item: 'list_customers', principal: 'ada' },
    { decision: 'denied', rule: 'no deletions', arguments: { name: 'Ada', iban: '[redacted]' } },
  ])
  expect(await verifyAuditLog(lines)).toMatchObject({ intact: true, records: 2 })
})

test('gateway-set', async () => {
  const client = await open(set)
  expect(await namesOf(client)).toEqual(['crm__list_customers', 'refund_shipping'])
  assertText(await client.callTool('refund_shipping'), 'Refunded 5')
})
