import { type CallOptions, type Progress, TimeoutError } from 'portcall/client'
import type { JsonObject } from 'portcall/jsonrpc'
import { expect } from 'vitest'
import { quiet, until } from '../matrix.ts'
import { callText, clientMatrix, HELPFUL, isSilentCancel, journalWith, openPeer, readJournal, watch } from './clients.ts'

const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']
const tokenOf = ({ params }: JsonObject): unknown => ((params as JsonObject)?._meta as JsonObject | undefined)?.progressToken

clientMatrix('reporting', (it) => {
  it('PRG-001 PRG-003 progress comes to those who listen, before the answer', async (peer, { revision }) => {
    const progress: Progress[] = []
    const answer = callText(peer, 'counts', { to: 3 }, { onProgress: (update) => progress.push(update) })
    expect(await answer).toBe('counted')
    const message = (n: number): object => (revision < '2025-03-26' ? {} : { message: `${n} of 3` })
    expect(progress).toMatchObject([1, 2, 3].map((n) => ({ progress: n, total: 3, ...message(n) })))
  })

  it('PRG-001 PRG-002 progress is asked for only when somebody listens, with a token for each', async (peer) => {
    const wire = watch(peer)
    await callText(peer, 'counts', { to: 2 })
    expect(wire.sent('tools/call').map(tokenOf)).toEqual([undefined])
    expect(wire.received('notifications/progress')).toEqual([])
    const heard: Progress[][] = [[], []]
    const count = (one: Progress[] | undefined, to: number): Promise<unknown> =>
      callText(peer, 'counts', { to }, { onProgress: (update) => one?.push(update) })
    await Promise.all([count(heard[0], 2), count(heard[1], 4)])
    expect(heard.map((one) => one.map(({ total }) => total))).toEqual([
      [2, 2],
      [4, 4, 4, 4],
    ])
    expect(new Set(wire.sent('tools/call').slice(1).map(tokenOf)).size).toBe(2)
  })

  it('LIFE-019 LIFE-020 LIFE-021 a call that takes too long is given up, and the server hears of it', async (peer) => {
    await readJournal(peer)
    const call = peer.client.callTool('waits', { name: 'late' }, { deadlines: { requestMs: 60 } })
    await expect(call).rejects.toBeInstanceOf(TimeoutError)
    await journalWith(peer, 'late stopped')
  })

  it('LIFE-022 LIFE-023 progress gives more time, up to a total', async (peer) => {
    const count = (ms: number, deadlines: CallOptions['deadlines']): Promise<string | undefined> =>
      callText(peer, 'counts_slowly', { to: 10, ms }, { deadlines: deadlines ?? {}, onProgress: () => {} })
    const kept = expect(count(100, { requestMs: 60_000, totalMs: 100 })).rejects.toBeInstanceOf(TimeoutError)
    // All takes longer than the deadline of a request, however fast; a step may not, so that a slow machine has longer ones.
    const extended = (ms: number): Promise<string | undefined> => count(ms, { requestMs: 8 * ms, totalMs: 60_000 })
    expect(await extended(30).catch(() => extended(1000))).toBe('counted')
    await kept
  })

  it('CAN-001 CAN-002 CAN-005 HTTP-029 STDIO-013 what is given up is stopped, in the way of the era and the transport', async (peer, place) => {
    await readJournal(peer)
    const wire = watch(peer)
    const hangUp = new AbortController()
    const reason = new Error('never mind')
    const lost = expect(peer.client.callTool('waits', { name: 'one' }, { signal: hangUp.signal })).rejects.toBe(reason)
    await journalWith(peer, 'one started')
    hangUp.abort(reason)
    await lost
    await journalWith(peer, 'one stopped')
    const id = wire.sent('tools/call').find(({ params }) => JSON.stringify(params).includes('"one"'))?.id
    const cancelled = wire.sent('notifications/cancelled').map(({ params }) => (params as JsonObject).requestId)
    expect(cancelled).toEqual(isSilentCancel(place) ? [] : [id])
  })

  it('CAN-010 CAN-011 a call that is given up while it is answered does no harm', async (peer) => {
    for (let n = 0; n < 10; n++) {
      const hangUp = new AbortController()
      const call = callText(peer, 'echo', { text: 'crossing' }, { signal: hangUp.signal }).catch(() => 'given up')
      if (n % 2) await Promise.resolve()
      if (n % 3) await quiet(1)
      hangUp.abort(new Error('never mind'))
      expect(['crossing', 'given up']).toContain(await call)
    }
    expect(await callText(peer, 'echo', { text: 'still here' })).toBe('still here')
  })

  it('what is given up before it begins is not sent', async (peer) => {
    const wire = watch(peer)
    const signal = AbortSignal.abort(new Error('never'))
    await expect(peer.client.callTool('echo', { text: 'x' }, { signal })).rejects.toThrow('never')
    await quiet(20)
    expect(wire.sent('tools/call')).toEqual([])
  })

  it('LOG-002 LOG-004 BASE-040 log messages from a level on come as events', async (_, place) => {
    const peer = await openPeer(place, { ...HELPFUL, logLevel: 'warning' })
    expect(await callText(peer, 'logs')).toBe('logged')
    await until(() => peer.events.length >= 5)
    expect(peer.events).toEqual(
      LEVELS.slice(LEVELS.indexOf('warning')).map((level) => ({ type: 'log', level, logger: 'tester', data: { about: level } })),
    )
    await callText(peer, 'echo', { text: 'x' })
    expect(watch(peer).sent('logging/setLevel').length).toBeLessThanOrEqual(1)
  })

  it('BASE-040 without a level none is asked for', async (peer) => {
    const wire = watch(peer)
    await callText(peer, 'logs')
    expect(wire.sent('logging/setLevel')).toEqual([])
    expect(JSON.stringify(wire.sent())).not.toContain('logLevel')
  })
})
