import { createServer, type Exchange, type Server } from 'portcall'
import { ClientClosedError, connect } from 'portcall/client'
import { createGateway } from 'portcall/gateway'
import { ConnectionLostError } from 'portcall/jsonrpc'
import { serve } from 'portcall/node'
import { describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'

const REVISIONS = ['2024-11-05', '2025-11-25', '2026-07-28'] as const
const PAIRS = REVISIONS.flatMap((client) => REVISIONS.map((server) => ({ client, server })))

async function serveOnce(server: Parameters<typeof serve>[0]): Promise<string> {
  const { url, close } = await serve(server, { port: 0, handleProcessSignals: false, drainTimeoutMs: 0 })
  onTestFinished(close)
  return url
}

const createTools = (name: string): Server => createServer({ name, version: '1' }).tool('first', {}, () => 'first')

/** Waits for some turns of the event loop, so that changes meet every stage of the previous notification. */
async function pause(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve))
}

test('a server that ends every subscription at once is asked again with increasing delays', async () => {
  const server = createTools('one')
  let requests = 0
  const target: Exchange = (request, context) => {
    if (request.method !== 'subscriptions/listen') return server.exchange(request, context)
    requests++
    return Promise.reject(new ConnectionLostError('The stream ended'))
  }
  const gateway = createGateway({ servers: { one: { target } } })
  onTestFinished(() => gateway.close())
  await using peer = await connect(await serveOnce(gateway))
  const subscription = peer.listen({ toolsListChanged: true })
  await eventually(() => expect(requests).toBeGreaterThan(1))
  const firstAt = performance.now()
  await eventually(() => expect(performance.now() - firstAt).toBeGreaterThan(1000))
  expect(requests).toBeLessThan(10)
  expect(await peer.callTool('one__first')).toMatchObject({ content: [{ text: 'first' }] })
  subscription.close()
})

describe.each(PAIRS)('a client of $client behind servers of $server', ({ client, server }) => {
  test('lists the last of many quick changes after a notification', async () => {
    const tools = [createTools('one'), createTools('two')] as const
    const gateway = createGateway({
      servers: {
        one: { target: await serveOnce(tools[0]), protocolVersion: server },
        two: { target: await serveOnce(tools[1]), protocolVersion: server },
      },
    })
    onTestFinished(() => gateway.close())
    await using peer = await connect(await serveOnce(gateway), { protocolVersion: client })
    const subscription = peer.listen({ toolsListChanged: true })
    await subscription.acknowledged
    let listed: string[] = []
    const reading = (async () => {
      // Only notifications make the client list the tools again.
      for await (const _change of subscription) listed = (await peer.tools().toArray()).map(({ name }) => name)
    })()
    for (let change = 0; change < 60; change++) {
      tools[change % 2]?.tool(`tool_${change}`, {}, () => 'late')
      await pause(change % 7)
    }
    const expected = Array.from({ length: 60 }, (_, change) => `${change % 2 === 0 ? 'one' : 'two'}__tool_${change}`)
    await eventually(() => expect(listed).toEqual(expect.arrayContaining(expected)))
    subscription.close()
    await reading
  })
})

describe.each(REVISIONS)('a client of %s that lists again after each notification', (revision) => {
  /** A gateway, and how often a client was notified of each list and fetched it from the server. */
  async function observe() {
    const server = createServer({ name: 'busy', version: '1' })
      .tool('first', {}, () => '')
      .prompt('first', {}, () => '')
    server.resource('file:///first', { name: 'first' }, () => '')
    const fetches = { tools: 0, prompts: 0, resources: 0 }
    const target: Exchange = (request, context) => {
      const [kind, action] = request.method.split('/')
      if (action === 'list') fetches[kind as keyof typeof fetches]++
      return server.exchange(request, context)
    }
    const servers = { busy: { target } }
    const gateway = createGateway({ servers })
    onTestFinished(() => gateway.close())
    const peer = await connect(await serveOnce(gateway), { protocolVersion: revision })
    onTestFinished(peer.close)
    const subscription = peer.listen({ toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true })
    onTestFinished(() => subscription.close())
    await subscription.acknowledged
    const notified = { tools: 0, prompts: 0, resources: 0 }
    const listed = { tools: 0, prompts: 0, resources: 0 }
    const listing = (async () => {
      for await (const { type } of subscription) {
        if (type === 'resource') continue
        notified[type as keyof typeof notified]++
        listed[type as keyof typeof listed] = (await peer[type as keyof typeof notified]().toArray()).length
      }
    })()
    // The end of the test may close the client while it lists.
    listing.catch((error: unknown) => {
      if (!(error instanceof ClientClosedError)) throw error
    })
    return { server, servers, gateway, fetches, notified, listed }
  }
  /** Changes something 100 times within a second. */
  const repeat = async (change: (index: number) => void): Promise<void> => {
    for (let index = 0; index < 100; index++) {
      change(index)
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }
  const FEW = 12

  test('is notified a few times of 100 changes in a second, the last time after the last change', async () => {
    const { server, fetches, notified, listed } = await observe()
    await repeat((index) => {
      server.tool(`t${index}`, {}, () => '')
      server.prompt(`p${index}`, {}, () => '')
      server.resource(`file:///r${index}`, { name: 'r' }, () => '')
    })
    await eventually(() => expect(listed).toEqual({ tools: 101, prompts: 101, resources: 101 }))
    for (const counts of [fetches, notified]) for (const count of Object.values(counts)) expect(count).toBeLessThan(FEW)
  })

  test.each<[string, (observed: Awaited<ReturnType<typeof observe>>) => void]>([
    ['refreshed', ({ gateway }) => gateway.refresh()],
    ['given other servers', ({ gateway, servers }) => void gateway.setServers({ ...servers })],
    ['given another policy', ({ gateway }) => gateway.setPolicy({ visible: () => true })],
  ])('is notified a few times if the gateway is %s 100 times', async (_what, change) => {
    const observed = await observe()
    await repeat(() => change(observed))
    await eventually(() => expect(observed.notified.tools).toBeGreaterThan(1))
    for (const count of Object.values(observed.notified)) expect(count).toBeLessThan(FEW)
  })
})

test('a single change is reported at once', async () => {
  const server = createTools('one')
  const gateway = createGateway({ servers: { one: server } })
  onTestFinished(() => gateway.close())
  await using peer = await connect(gateway)
  await using subscription = peer.listen({ toolsListChanged: true })
  await subscription.acknowledged
  const changes = subscription[Symbol.asyncIterator]()
  for (const name of ['second', 'third']) {
    server.tool(name, {}, () => '')
    expect((await changes.next()).value).toEqual({ type: 'tools' })
  }
})
