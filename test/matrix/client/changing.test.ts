import type { Change, Subscription } from 'portcall/client'
import type { JsonObject } from 'portcall/jsonrpc'
import { expect } from 'vitest'
import { eventually } from '../../../packages/portcall/test-kit/eventually.ts'
import { quiet, until } from '../matrix.ts'
import { callText, clientMatrix, GAPS, HELPFUL, isSilentCancel, openPeer, watch } from './clients.ts'

/** Hears changes for as long as they come. */
function hear(subscription: Subscription): { changes: Change[]; ended: Promise<unknown> } {
  const changes: Change[] = []
  const ended = (async () => {
    for await (const change of subscription) changes.push(change)
  })()
  return { changes, ended }
}

const uriOf = ({ params }: JsonObject): unknown => (params as JsonObject).uri

clientMatrix('changing', (it) => {
  it('SUB-001 SUB-007 TOOL-019 PRM-015 lists that change are told of, whatever the era calls it', async (peer) => {
    const subscription = peer.client.listen({ toolsListChanged: true, promptsListChanged: true })
    expect(await subscription.honoured).toEqual({ toolsListChanged: true, promptsListChanged: true })
    const { changes, ended } = hear(subscription)
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

  it('RES-025 RES-026 RES-028 updates of the resources that were asked for come, and no others', async (peer) => {
    const wire = watch(peer)
    const resourceSubscriptions = ['memo://text', 'note://apple']
    const subscription = peer.client.listen({ resourceSubscriptions })
    expect(await subscription.honoured).toEqual({ resourceSubscriptions })
    expect(wire.sent('resources/subscribe').map(uriOf).sort()).toEqual(peer.era === 'legacy' ? resourceSubscriptions : [])
    const { changes, ended } = hear(subscription)
    for (const uri of ['memo://text', 'memo://bytes', 'note://apple']) await callText(peer, 'touches', { uri })
    await until(() => changes.length > 1)
    await quiet(20)
    expect(changes).toEqual(resourceSubscriptions.map((uri) => ({ type: 'resource', uri })))
    subscription.close()
    await ended
  })

  it('SUB-009 STDIO-013 who does not listen any more says so, in the way of the era and the transport', async (peer, place) => {
    const wire = watch(peer)
    const uri = 'memo://several'
    const subscription = peer.client.listen({ resourceSubscriptions: [uri] })
    await subscription.honoured
    const { ended } = hear(subscription)
    subscription.close()
    await ended
    if (peer.era === 'legacy') await until(() => wire.sent('resources/unsubscribe').map(uriOf).includes(uri))
    else {
      const [id] = wire.sent('subscriptions/listen').map((request) => request.id)
      const cancelled = (): unknown[] =>
        wire.sent('notifications/cancelled').map(({ params }) => (params as JsonObject).requestId)
      if (isSilentCancel(place)) expect(cancelled()).toEqual([])
      else await until(() => cancelled().includes(id))
    }
    await eventually(async () => {
      const after = watch(peer)
      await callText(peer, 'touches', { uri })
      await quiet(20)
      expect(after.received('notifications/resources/updated')).toEqual([])
    })
  })

  it('SUB-002 SUB-008 several listen at the same time, each to what it asked for', async (peer) => {
    const wire = watch(peer)
    const filters = [
      { resourceSubscriptions: ['memo://text'] },
      { resourceSubscriptions: ['memo://text'] },
      { toolsListChanged: true },
    ] as const
    const subscriptions = filters.map((filter) => peer.client.listen(filter as never))
    for (const { honoured } of subscriptions) await honoured
    const heard = subscriptions.map(hear)
    if (peer.era === 'legacy') expect(wire.sent('resources/subscribe')).toHaveLength(1)
    await callText(peer, 'touches', { uri: 'memo://text' })
    await until(() => heard.slice(0, 2).every(({ changes }) => changes.length > 0))
    subscriptions[0]?.close()
    await callText(peer, 'register', { count: 1 })
    await callText(peer, 'touches', { uri: 'memo://text' })
    await until(() => heard[1]?.changes.length === 2 && heard[2]?.changes.length === 1)
    expect(heard.map(({ changes }) => changes.map(({ type }) => type))).toEqual([
      ['resource'],
      ['resource', 'resource'],
      ['tools'],
    ])
    await callText(peer, 'unregister')
    for (const subscription of subscriptions) subscription.close()
    await Promise.all(heard.map(({ ended }) => ended))
  })

  it('a subscription that is left ends, also without a word', async (peer) => {
    const wire = watch(peer)
    const subscription = peer.client.listen({ resourceSubscriptions: ['memo://bytes'] })
    await subscription.honoured
    await callText(peer, 'touches', { uri: 'memo://bytes' })
    for await (const change of subscription) {
      expect(change).toEqual({ type: 'resource', uri: 'memo://bytes' })
      break
    }
    if (peer.era === 'legacy') await until(() => wire.sent('resources/unsubscribe').length > 0)
  })

  it(
    'CACHE-012 what is told to have changed is not kept any longer',
    async (peer) => {
      const subscription = peer.client.listen({ resourceSubscriptions: ['memo://text'] })
      await subscription.honoured
      const { changes } = hear(subscription)
      const wire = watch(peer)
      for (let times = 0; times < 2; times++) await peer.client.read('memo://text')
      expect(wire.sent('resources/read')).toHaveLength(1)
      await callText(peer, 'touches', { uri: 'memo://text' })
      await until(() => changes.length > 0)
      await peer.client.read('memo://text')
      expect(wire.sent('resources/read')).toHaveLength(2)
      subscription.close()
    },
    GAPS.lifetimes,
  )

  it('who closes the client ends everything that is open', async (_, place) => {
    const peer = await openPeer(place, HELPFUL)
    const subscription = peer.client.listen({ toolsListChanged: true })
    await subscription.honoured
    const { ended } = hear(subscription)
    const call = expect(peer.client.callTool('waits', { name: 'x' })).rejects.toBeInstanceOf(Error)
    await quiet(20)
    const startedAt = performance.now()
    await peer.client.close()
    expect(performance.now() - startedAt).toBeLessThan(5000)
    await Promise.all([ended, call])
    expect(peer.client.status).toBe('closed')
    await expect(peer.client.tools().toArray()).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' })
    await peer.client.close()
  })
})
