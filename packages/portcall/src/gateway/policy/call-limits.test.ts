import { describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../../test-kit/eventually.ts'
import type { Client } from '../../client/types.ts'
import { connect } from '../../connect/connect.ts'
import { type Auth, deriveContext } from '../../jsonrpc/exchange.ts'
import { createServer } from '../../server/server.ts'
import { createMemoryStore } from '../../stores/memory/store.ts'
import type { KeyValueStore } from '../../stores/store.ts'
import { createGateway } from '../gateway.ts'
import { type CallLimit, callLimits } from './call-limits.ts'

interface Setup {
  readonly client: Client
  /** Lets the calls of `wait` return. */
  release(): void
  readonly running: () => number
  readonly aborted: () => number
}

async function open(
  limits: readonly CallLimit[],
  { store, auth }: { store?: KeyValueStore; auth?: () => Auth } = {},
): Promise<Setup> {
  let release = (): void => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  let running = 0
  let aborted = 0
  const create = () =>
    createServer({ name: 'crm', version: '1' })
      .tool('read', { input: { type: 'object', properties: { size: { type: 'integer' } } } }, ({ size }) =>
        '語'.repeat(size ?? 1),
      )
      .tool('structured', { output: { type: 'object' } }, () => ({ text: 'x'.repeat(5000) }))
      .tool('wait', {}, async (_args, { signal }) => {
        running++
        signal.addEventListener('abort', () => aborted++)
        await released
        return 'done'
      })
      .prompt('greet', {}, () => 'Hello')
  const gateway = createGateway({
    servers: { crm: create(), files: create() },
    policy: callLimits({ limits, ...(store && { store }) }),
    middleware: [(request, context, next) => next(request, deriveContext(context, { auth: auth?.() }))],
  })
  const client = await connect(gateway)
  onTestFinished(async () => {
    release()
    await client.close()
    await gateway.close()
  })
  return { client, release: () => release(), running: () => running, aborted: () => aborted }
}

const HOUR = 3_600_000
const textOf = ({ content }: { content: unknown }): string => (content as { text: string }[])[0]?.text ?? ''

describe('a rate', () => {
  test('counts each principal, and only what it concerns', async () => {
    let auth: Auth = { principal: 'ada' }
    const limits = [{ servers: 'crm', tools: 'r*', rate: { limit: 2, intervalMs: HOUR } }]
    const { client } = await open(limits, { auth: () => auth })
    const isAllowed = async (name: string) => !(await client.callTool(name)).isError
    expect([await isAllowed('crm__read'), await isAllowed('crm__read'), await isAllowed('crm__read')]).toEqual([
      true,
      true,
      false,
    ])
    expect([await isAllowed('files__read'), await isAllowed('crm__structured')]).toEqual([true, true])
    auth = { principal: 'bob' }
    expect(await isAllowed('crm__read')).toBe(true)
    expect(await client.getPrompt('crm__greet')).toHaveProperty('messages')
  })

  test('counts servers or items, if it says so', async () => {
    const { client } = await open([{ per: ['item'], rate: { limit: 1, intervalMs: HOUR } }])
    const isAllowed = async (name: string) => !(await client.callTool(name)).isError
    expect([await isAllowed('crm__read'), await isAllowed('files__read'), await isAllowed('crm__read')]).toEqual([
      true,
      true,
      false,
    ])
  })

  test('is exact across gateways that share a store', async () => {
    const store = createMemoryStore()
    const limits = [{ rate: { limit: 10, intervalMs: HOUR } }]
    const gateways = await Promise.all([1, 2, 3].map(() => open(limits, { store })))
    const calls = Array.from({ length: 30 }, (_, n) => gateways[n % 3]?.client.callTool('crm__read'))
    expect((await Promise.all(calls)).filter((result) => !result?.isError)).toHaveLength(10)
  })
})

test('calls that run at once are limited over all servers', async () => {
  const { client, release, running } = await open([{ tools: 'wait', concurrency: { limit: 2 } }])
  const calls = ['crm__wait', 'files__wait'].map((name) => client.callTool(name))
  await eventually(() => expect(running()).toBe(2))
  expect(textOf(await client.callTool('crm__wait'))).toContain('Too many requests are running')
  release()
  for (const call of calls) expect(textOf(await call)).toBe('done')
})

test('a call that takes too long fails, and is aborted', async () => {
  const { client, aborted } = await open([{ tools: 'wait', timeoutMs: 20 }])
  expect(textOf(await client.callTool('crm__wait'))).toBe('The request did not finish within 20 ms')
  await eventually(() => expect(aborted()).toBe(1))
})

describe('the size of results', () => {
  test('is limited by an error', async () => {
    const { client } = await open([{ maxResultBytes: 1000 }])
    expect(textOf(await client.callTool('crm__read', { size: 10 }))).toBe('語'.repeat(10))
    expect(await client.callTool('crm__read', { size: 1000 })).toMatchObject({ isError: true })
  })

  test('is limited by cutting text, but never structured content', async () => {
    const { client } = await open([{ maxResultBytes: 1000, exceeded: 'cut' }])
    const { content, isError } = await client.callTool('crm__read', { size: 1000 })
    expect(isError).toBeUndefined()
    expect(textOf({ content })).toMatch(/^語{200,}$/)
    expect(content).toMatchObject([{ type: 'text' }, { text: expect.stringContaining('[The result was cut: it has') }])
    expect(await client.callTool('crm__structured')).toMatchObject({ isError: true })
  })

  test('is limited by a link, which only the caller can read', async () => {
    let auth: Auth = { principal: 'ada' }
    const { client } = await open([{ maxResultBytes: 1000, exceeded: 'link' }], { auth: () => auth })
    const uriOf = ({ content }: { content: unknown }) => (content as { uri: string }[])[1]?.uri ?? ''
    const text = await client.callTool('files__read', { size: 1000 })
    expect(text).not.toHaveProperty('isError')
    expect(await client.readResource(uriOf(text))).toMatchObject({ contents: [{ uri: uriOf(text), text: '語'.repeat(1000) }] })
    const structured = await client.callTool('crm__structured')
    expect(structured).toMatchObject({ isError: true })
    const { contents } = await client.readResource(uriOf(structured))
    expect(contents).toMatchObject([{ mimeType: 'application/json', text: JSON.stringify({ text: 'x'.repeat(5000) }) }])
    auth = { principal: 'bob' }
    await expect(client.readResource(uriOf(text))).rejects.toThrow()
  })
})

test.each<[object, string]>([
  [{ tool: 'x' }, 'limit 1: tool is unknown'],
  [{ per: ['user'] }, 'per must be a list'],
  [{ exceeded: 'drop' }, 'exceeded must be'],
  [{ rate: 5 }, 'rate must be an object'],
  [{ rate: { limit: 0 } }, 'must be positive'],
])('%j is an error', (limit, message) => {
  expect(() => callLimits({ limits: [limit as CallLimit] })).toThrow(message)
})
