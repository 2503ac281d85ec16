import type { Change, Subscription } from 'portcall/client'
import type { JsonObject } from 'portcall/jsonrpc'
import { expect } from 'vitest'
import { eventually } from '../../../packages/portcall/test-kit/eventually.ts'
import { quiet, until } from '../matrix.ts'
import { callText, clientMatrix, GAPS, INPUT_HANDLERS, isSilentCancel, openPeer, viewWire } from './client-matrix.ts'

/** Collects the changes of a subscription until it ends. */
function collect(subscription: Subscription): { changes: Change[]; ended: Promise<unknown> } {
  const changes: Change[] = []
  const ended = (async () => {
    for await (const change of subscription) changes.push(change)
  })()
  return { changes, ended }
}

const uriOf = ({ params }: JsonObject): unknown => (params as JsonObject).uri

clientMatrix('subscriptions', (it) => {
  it('SUB-001 SUB-007 TOOL-019 PRM-015 changed lists are reported in every era', async (peer) => {
    const subscription = peer.client.listen({ toolsListChanged: true, promptsListChanged: true })
    expect(await subscription.acknowledged).toEqual({ toolsListChanged: true, promptsListChanged: true })
    const { changes, ended } = collect(subscription)
    await callText(peer, 'register', { count: 20 })
    await until(() => changes.length > 0)
    await callText(peer, 'shows_prompt', { show: false })
    await until(() => changes.length > 1)
    await callText(peer, 'shows_prompt', { show: true })
    await until(() => changes.length > 2)
    expect(changes).toEqual([{ type: 'tools' }, { type: 'prompts' }, { type: 'prompts' }])
    subscription.close()
    await ended
    await callText(peer, 'unregister')
    await quiet(20)
    expect(changes).toHaveLength(3)
  })

  it('RES-025 RES-026 RES-028 updates of exactly the requested resources arrive', async (peer) => {
    const wire = viewWire(peer)
    const resourceSubscriptions = ['memo://text', 'note://apple']
    const subscription = peer.client.listen({ resourceSubscriptions })
    expect(await subscription.acknowledged).toEqual({ resourceSubscriptions })
    expect(wire.sent('resources/subscribe').map(uriOf).sort()).toEqual(peer.era === 'legacy' ? resourceSubscriptions : [])
    const { changes, ended } = collect(subscription)
    for (const uri of ['memo://text', 'memo://bytes', 'note://apple']) await callText(peer, 'touches', { uri })
    await until(() => changes.length > 1)
    await quiet(20)
    expect(changes).toEqual(resourceSubscriptions.map((uri) => ({ type: 'resource', uri })))
    subscription.close()
    await ended
  })

  it('SUB-009 STDIO-013 closing a subscription unsubscribes as the era and the transport require', async (peer, setup) => {
    const wire = viewWire(peer)
    const uri = 'memo://several'
    const subscription = peer.client.listen({ resourceSubscriptions: [uri] })
    await subscription.acknowledged
    const { ended } = collect(subscription)
    subscription.close()
    await ended
    if (peer.era === 'legacy') await until(() => wire.sent('resources/unsubscribe').map(uriOf).includes(uri))
    else {
      const [id] = wire.sent('subscriptions/listen').map((request) => request.id)
      const cancelled = (): unknown[] =>
        wire.sent('notifications/cancelled').map(({ params }) => (params as JsonObject).requestId)
      if (isSilentCancel(setup)) expect(cancelled()).toEqual([])
      else await until(() => cancelled().includes(id))
    }
    await eventually(async () => {
      const after = viewWire(peer)
      await callText(peer, 'touches', { uri })
      await quiet(20)
      expect(after.received('notifications/resources/updated')).toEqual([])
    })
  })

  it('SUB-002 SUB-008 concurrent subscriptions each receive what they requested', async (peer) => {
    const wire = viewWire(peer)
    const filters = [
      { resourceSubscriptions: ['memo://text'] },
      { resourceSubscriptions: ['memo://text'] },
      { toolsListChanged: true },
    ] as const
    const subscriptions = filters.map((filter) => peer.client.listen(filter as never))
    for (const { acknowledged } of subscriptions) await acknowledged
    const collected = subscriptions.map(collect)
    if (peer.era === 'legacy') expect(wire.sent('resources/subscribe')).toHaveLength(1)
    await callText(peer, 'touches', { uri: 'memo://text' })
    await until(() => collected.slice(0, 2).every(({ changes }) => changes.length > 0))
    subscriptions[0]?.close()
    await callText(peer, 'register', { count: 1 })
    await callText(peer, 'touches', { uri: 'memo://text' })
    await until(() => collected[1]?.changes.length === 2 && collected[2]?.changes.length === 1)
    expect(collected.map(({ changes }) => changes.map(({ type }) => type))).toEqual([
      ['resource'],
      ['resource', 'resource'],
      ['tools'],
    ])
    await callText(peer, 'unregister')
    for (const subscription of subscriptions) subscription.close()
    await Promise.all(collected.map(({ ended }) => ended))
  })

  it('leaving the loop closes the subscription', async (peer) => {
    const wire = viewWire(peer)
    const subscription = peer.client.listen({ resourceSubscriptions: ['memo://bytes'] })
    await subscription.acknowledged
    await callText(peer, 'touches', { uri: 'memo://bytes' })
    for await (const change of subscription) {
      expect(change).toEqual({ type: 'resource', uri: 'memo://bytes' })
      break
    }
    if (peer.era === 'legacy') await until(() => wire.sent('resources/unsubscribe').length > 0)
  })

  it(
    'CACHE-012 a change notification invalidates the cache',
    async (peer) => {
      const subscription = peer.client.listen({ resourceSubscriptions: ['memo://text'] })
      await subscription.acknowledged
      const { changes } = collect(subscription)
      const wire = viewWire(peer)
      for (let times = 0; times < 2; times++) await peer.client.readResource('memo://text')
      expect(wire.sent('resources/read')).toHaveLength(1)
      await callText(peer, 'touches', { uri: 'memo://text' })
      await until(() => changes.length > 0)
      await peer.client.readResource('memo://text')
      expect(wire.sent('resources/read')).toHaveLength(2)
      subscription.close()
    },
    GAPS.lifetimes,
  )

  it('closing the client ends all calls and subscriptions', async (_, setup) => {
    const peer = await openPeer(setup, INPUT_HANDLERS)
    const subscription = peer.client.listen({ toolsListChanged: true })
    await subscription.acknowledged
    const { ended } = collect(subscription)
    const call = expect(peer.client.callTool('waits', { name: 'x' })).rejects.toBeInstanceOf(Error)
    await quiet(20)
    const startedAt = performance.now()
    await peer.client.close()
    expect(performance.now() - startedAt).toBeLessThan(5000)
    await Promise.all([ended, call])
    expect(peer.client.status).toBe('closed')
    await expect(peer.client.tools().toArray()).rejects.toMatchObject({ code: 'CLIENT_CLOSED' })
    await peer.client.close()
  })
})
