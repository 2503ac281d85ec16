import { expect } from 'vitest'
import { callTool, GAPS, listAll, matrix, quiet, until } from './matrix.ts'

const TOOLS = 'notifications/tools/list_changed'
const PROMPTS = 'notifications/prompts/list_changed'
const UPDATED = 'notifications/resources/updated'

const methods = (received: readonly { method: string }[]): string[] => received.map(({ method }) => method)

matrix('subscriptions', (it) => {
  it('TOOL-019 one notification is sent for 100 tools registered in one tick', async (peer) => {
    const changes = await peer.changes({ toolsListChanged: true })
    await callTool(peer, 'register', { count: 100 })
    await until(() => changes.received.length > 0)
    await quiet()
    expect(methods(changes.received)).toEqual([TOOLS])
    expect(await listAll(peer, 'tools/list', 'tools')).toContainEqual(expect.objectContaining({ name: 'extra-100' }))
    await callTool(peer, 'unregister')
    await until(() => changes.received.length > 1)
    expect((await callTool(peer, 'extra-1')).error?.code).toBe(-32602)
    await changes.close()
  })

  it('PRM-015 a disabled prompt is unavailable, and clients are notified', async (peer) => {
    const changes = await peer.changes({ promptsListChanged: true })
    await callTool(peer, 'shows_prompt', { show: false })
    await until(() => changes.received.length === 1)
    expect((await peer.request('prompts/get', { name: 'shy' })).error?.code).toBe(-32602)
    await callTool(peer, 'shows_prompt', { show: true })
    await until(() => changes.received.length === 2)
    expect(methods(changes.received)).toEqual([PROMPTS, PROMPTS])
    expect((await peer.request('prompts/get', { name: 'shy' })).error).toBeUndefined()
    await changes.close()
  })

  it('RES-025 RES-026 RES-028 updates of a resource are sent to its subscribers', async (peer) => {
    const changes = await peer.changes({ resourceSubscriptions: ['memo://text', 'note://apple'] })
    for (const uri of ['memo://text', 'memo://bytes', 'note://apple']) await callTool(peer, 'touches', { uri })
    await until(() => changes.received.length >= 2)
    await quiet()
    expect(changes.received.map(({ method, params }) => [method, params?.uri])).toEqual([
      [UPDATED, 'memo://text'],
      [UPDATED, 'note://apple'],
    ])
    await changes.close()
    await callTool(peer, 'touches', { uri: 'memo://text' })
    await quiet()
    expect(changes.received).toHaveLength(2)
  })

  it('RES-027 resource updates are not sent without a subscription', async (peer) => {
    const before = peer.log.length
    await callTool(peer, 'touches', { uri: 'memo://bytes' })
    await quiet()
    expect(peer.log.slice(before).filter(({ message }) => message.method === UPDATED)).toEqual([])
  })

  it(
    'SUB-003 SUB-004 SUB-005 a subscription starts with the acknowledged filter, and every message carries its id',
    async (peer) => {
      const changes = await peer.changes({ toolsListChanged: true, resourceSubscriptions: ['memo://text'] })
      await callTool(peer, 'touches', { uri: 'memo://text' })
      await until(() => changes.received.length > 0)
      expect(changes.acknowledged).toEqual({ toolsListChanged: true, resourceSubscriptions: ['memo://text'] })
      expect(changes.frames[0]).toMatchObject({ method: 'notifications/subscriptions/acknowledged' })
      await changes.close()
    },
    GAPS.stateless,
  )

  it(
    'SUB-002 SUB-008 concurrent subscriptions receive exactly what they requested',
    async (peer) => {
      const [tools, prompts, nothing] = await Promise.all([
        peer.changes({ toolsListChanged: true }),
        peer.changes({ promptsListChanged: true }),
        peer.changes({}),
      ])
      await callTool(peer, 'register', { count: 1 })
      await callTool(peer, 'shows_prompt', { show: false })
      await callTool(peer, 'shows_prompt', { show: true })
      await callTool(peer, 'unregister')
      await until(() => tools.received.length === 2 && prompts.received.length === 2)
      expect(new Set(methods(tools.received))).toEqual(new Set([TOOLS]))
      expect(new Set(methods(prompts.received))).toEqual(new Set([PROMPTS]))
      expect(nothing.received).toEqual([])
      for (const changes of [tools, prompts, nothing]) await changes.close()
    },
    GAPS.stateless,
  )

  it(
    'SUB-014 progress and log messages are not sent to subscriptions',
    async (peer) => {
      const changes = await peer.changes({ toolsListChanged: true })
      await peer.setLogLevel('debug')
      await callTool(peer, 'logs')
      await callTool(peer, 'counts', { to: 2 }, { meta: { progressToken: 'p' } })
      await quiet()
      expect(changes.received).toEqual([])
      await changes.close()
    },
    GAPS.stateless,
  )
})
