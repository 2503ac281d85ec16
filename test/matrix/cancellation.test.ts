import { expect } from 'vitest'
import { callTool, journalWith, matrix, quiet, textOf } from './matrix.ts'

matrix('cancellation', (it) => {
  it('STDIO-015 CAN-001 CAN-003 CAN-008 HTTP-030 HTTP-032 a cancelled call stops and is never answered', async (peer) => {
    const controller = new AbortController()
    const call = callTool(peer, 'waits', { name: 'one' }, { signal: controller.signal })
    const rejection = expect(call).rejects.toThrow()
    await journalWith(peer, 'one started')
    controller.abort(new Error('never mind'))
    await rejection
    await journalWith(peer, 'one stopped')
    await quiet()
    const { id } = peer.log.find(({ message }) => JSON.stringify(message.params)?.includes('"one"'))?.message ?? {}
    expect(peer.log.filter(({ from, message }) => from === 'server' && message.id === id && !('method' in message))).toEqual([])
  })

  it('CAN-009 CAN-013 cancellations of unknown requests are ignored', async (peer) => {
    for (const params of [{ requestId: 9999 }, { requestId: 'x' }, {}, { requestId: null }, { requestId: { deep: [1] } }])
      await peer.notify('notifications/cancelled', params)
    expect(textOf(await callTool(peer, 'echo', { text: 'still here' }))).toBe('still here')
  })

  it('CAN-011 a cancellation that races with the response is harmless', async (peer) => {
    for (let n = 0; n < 10; n++) {
      const controller = new AbortController()
      const call = callTool(peer, 'echo', { text: 'crossing' }, { signal: controller.signal }).catch(() => undefined)
      if (n % 2) await Promise.resolve()
      controller.abort(new Error('never mind'))
      await call
    }
    expect(textOf(await callTool(peer, 'echo', { text: 'still here' }))).toBe('still here')
  })
})
