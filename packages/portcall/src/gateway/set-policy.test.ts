import { describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../test-kit/eventually.ts'
import type { Client } from '../client/types.ts'
import { connect } from '../connect/connect.ts'
import type { Middleware } from '../jsonrpc/exchange.ts'
import { createServer } from '../server/server.ts'
import type { Server } from '../server/types.ts'
import { createMemoryStore } from '../stores/memory/store.ts'
import { bridge } from './bridge.ts'
import { createGateway, type Gateway } from './gateway.ts'
import { accessRules } from './policy/access-rules.ts'
import { definitionPins } from './policy/definition-pins.ts'
import type { GatewayPolicy } from './policy/types.ts'

const allow = accessRules({ default: 'allow', rules: [] })
const deny = (tools: string): GatewayPolicy => accessRules({ default: 'allow', rules: [{ tools, do: 'deny' }] })

interface Setup {
  readonly server: Server
  readonly gateway: Gateway
  readonly client: Client
  /** Lets the calls of `wait` end. */
  readonly release: () => void
  readonly waiting: () => number
}

async function open(policy: GatewayPolicy | GatewayPolicy[] = allow): Promise<Setup> {
  let release!: () => void
  let waiting = 0
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const server = createServer({ name: 'crm', version: '1' })
    .tool('look', {}, () => 'seen')
    .tool('wait', {}, async () => {
      waiting++
      await released
      return 'done'
    })
    .resource('note://a', { name: 'a' }, () => 'a')
    .resource('note://b', { name: 'b' }, () => 'b')
  const gateway = createGateway({ servers: { crm: server }, policy })
  const client = await connect(gateway)
  onTestFinished(async () => {
    await client.close()
    await gateway.close()
  })
  return { server, gateway, client, release, waiting: () => waiting }
}

const toolsOf = async (client: Client): Promise<string[]> => (await client.tools().toArray()).map(({ name }) => name)

describe('setPolicy', () => {
  test('applies to new requests, and not to those in flight', async () => {
    const results: string[] = []
    const shouting: GatewayPolicy = { result: (result) => ({ ...result, content: [{ type: 'text', text: 'changed' }] }) }
    const { gateway, client, release, waiting } = await open([allow, shouting])
    const running = client.callTool('crm__wait').then(({ content }) => void results.push(JSON.stringify(content)))
    await eventually(() => expect(waiting()).toBe(1))
    gateway.setPolicy(deny('crm__*'))
    await expect(client.callTool('crm__look')).rejects.toThrow('Unknown tool')
    expect(await toolsOf(client)).toEqual([])
    release()
    await running
    expect(results).toEqual(['[{"type":"text","text":"changed"}]'])
    gateway.setPolicy([])
    expect(await client.callTool('crm__look')).toMatchObject({ content: [{ text: 'seen' }] })
  })

  test('replaces middleware around all requests and around those to servers', async () => {
    const seen: string[] = []
    const note =
      (text: string): Middleware =>
      (request, context, next) => {
        if (request.method === 'tools/call') seen.push(text)
        return next(request, context)
      }
    const { gateway, client, release, waiting } = await open({
      middleware: [note('old')],
      serverMiddleware: () => [note('old server')],
    })
    const running = client.callTool('crm__wait')
    await eventually(() => expect(waiting()).toBe(1))
    gateway.setPolicy({ serverMiddleware: () => [note('new server')] }, [note('new')])
    await client.callTool('crm__look')
    gateway.setPolicy([])
    await client.callTool('crm__look')
    expect(seen).toEqual(['old', 'old server', 'new', 'new server', 'new'])
    release()
    await running
  })

  test('ends subscriptions to what is denied now, and keeps the others', async () => {
    const { server, gateway, client } = await open()
    const updated: string[] = []
    const subscription = client.listen({ resourceSubscriptions: ['note://a', 'note://b'] })
    void (async () => {
      for await (const change of subscription) if (change.type === 'resource') updated.push(change.uri)
    })()
    await subscription.acknowledged
    server.resourceUpdated('note://a')
    await eventually(() => expect(updated).toEqual(['note://a']))
    gateway.setPolicy(accessRules({ default: 'allow', rules: [{ resources: 'note://a', do: 'deny' }] }))
    /** Changes both, and returns which changes arrive up to that of the second. */
    const change = async (): Promise<string[]> => {
      updated.length = 0
      server.resourceUpdated('note://a')
      server.resourceUpdated('note://b')
      await eventually(() => expect(updated).toContain('note://b'))
      return [...updated]
    }
    // The rules apply to the subscription as soon as it has been routed again.
    let arrived = await change()
    for (let attempt = 0; attempt < 100 && arrived.length > 1; attempt++) arrived = await change()
    expect(arrived).toEqual(['note://b'])
    expect(await change()).toEqual(['note://b'])
  })

  test('withholds at once what new pins do not know', async () => {
    const { gateway, client } = await open()
    expect(await toolsOf(client)).toEqual(['crm__look', 'crm__wait'])
    gateway.setPolicy(definitionPins({ lock: createMemoryStore(), firstUse: 'withhold' }))
    await expect(client.callTool('crm__look')).rejects.toThrow('Unknown tool')
    expect(await toolsOf(client)).toEqual([])
  })
})

test.each([null, [null], 'read-only'])('a policy that is %j is refused by name', (policy) => {
  const server = createServer({ name: 'crm', version: '1' })
  expect(() => createGateway({ servers: { server }, policy: policy as never })).toThrow(
    'policy must be an object or an array of objects',
  )
  expect(() => bridge(server as never, { policy: policy as never })).toThrow('policy must be an object or an array of objects')
})
