import { type CallOptions, type Progress, TimeoutError } from 'portcall/client'
import type { JsonObject } from 'portcall/jsonrpc'
import { expect } from 'vitest'
import { quiet, until } from '../matrix.ts'
import {
  callText,
  clientMatrix,
  INPUT_HANDLERS,
  isSilentCancel,
  journalWith,
  openPeer,
  readJournal,
  viewWire,
} from './client-matrix.ts'

const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']
const tokenOf = ({ params }: JsonObject): unknown => ((params as JsonObject)?._meta as JsonObject | undefined)?.progressToken

clientMatrix('progress', (it) => {
  it('PRG-001 PRG-003 progress is passed to onProgress before the response', async (peer, { revision }) => {
    const progress: Progress[] = []
    const answer = callText(peer, 'counts', { to: 3 }, { onProgress: (update) => progress.push(update) })
    expect(await answer).toBe('counted')
    const message = (n: number): object => (revision < '2025-03-26' ? {} : { message: `${n} of 3` })
    expect(progress).toMatchObject([1, 2, 3].map((n) => ({ progress: n, total: 3, ...message(n) })))
  })

  it('PRG-001 PRG-002 progress is requested only with onProgress, with a unique token for each call', async (peer) => {
    const wire = viewWire(peer)
    await callText(peer, 'counts', { to: 2 })
    expect(wire.sent('tools/call').map(tokenOf)).toEqual([undefined])
    expect(wire.received('notifications/progress')).toEqual([])
    const received: Progress[][] = [[], []]
    const count = (one: Progress[] | undefined, to: number): Promise<unknown> =>
      callText(peer, 'counts', { to }, { onProgress: (update) => one?.push(update) })
    await Promise.all([count(received[0], 2), count(received[1], 4)])
    expect(received.map((one) => one.map(({ total }) => total))).toEqual([
      [2, 2],
      [4, 4, 4, 4],
    ])
    expect(new Set(wire.sent('tools/call').slice(1).map(tokenOf)).size).toBe(2)
  })

  it('LIFE-019 LIFE-020 LIFE-021 a call that times out fails, and the server is notified', async (peer) => {
    await readJournal(peer)
    const call = peer.client.callTool('waits', { name: 'late' }, { timeouts: { requestTimeoutMs: 60 } })
    await expect(call).rejects.toBeInstanceOf(TimeoutError)
    await journalWith(peer, 'late stopped')
  })

  it('LIFE-022 LIFE-023 progress extends the timeout, up to the total timeout', async (peer) => {
    const count = (ms: number, deadlines: CallOptions['timeouts']): Promise<string | undefined> =>
      callText(peer, 'counts_slowly', { to: 10, ms }, { timeouts: deadlines ?? {}, onProgress: () => {} })
    const timedOut = expect(count(100, { requestTimeoutMs: 60_000, totalTimeoutMs: 100 })).rejects.toBeInstanceOf(TimeoutError)
    // The call takes longer than the request timeout but each step must not, so on a slow machine the test repeats with longer steps.
    const extended = (ms: number): Promise<string | undefined> => count(ms, { requestTimeoutMs: 8 * ms, totalTimeoutMs: 60_000 })
    expect(await extended(30).catch(() => extended(1000))).toBe('counted')
    await timedOut
  })

  it('CAN-001 CAN-002 CAN-005 HTTP-029 STDIO-013 an aborted call is cancelled as the era and the transport require', async (peer, setup) => {
    await readJournal(peer)
    const wire = viewWire(peer)
    const controller = new AbortController()
    const reason = new Error('never mind')
    const rejection = expect(peer.client.callTool('waits', { name: 'one' }, { signal: controller.signal })).rejects.toBe(reason)
    await journalWith(peer, 'one started')
    controller.abort(reason)
    await rejection
    await journalWith(peer, 'one stopped')
    const id = wire.sent('tools/call').find(({ params }) => JSON.stringify(params).includes('"one"'))?.id
    const cancelled = wire.sent('notifications/cancelled').map(({ params }) => (params as JsonObject).requestId)
    expect(cancelled).toEqual(isSilentCancel(setup) ? [] : [id])
  })

  it('CAN-010 CAN-011 an abort that races with the response is harmless', async (peer) => {
    for (let n = 0; n < 10; n++) {
      const controller = new AbortController()
      const call = callText(peer, 'echo', { text: 'crossing' }, { signal: controller.signal }).catch(() => 'aborted')
      if (n % 2) await Promise.resolve()
      if (n % 3) await quiet(1)
      controller.abort(new Error('never mind'))
      expect(['crossing', 'aborted']).toContain(await call)
    }
    expect(await callText(peer, 'echo', { text: 'still here' })).toBe('still here')
  })

  it('a call with an aborted signal is not sent', async (peer) => {
    const wire = viewWire(peer)
    const signal = AbortSignal.abort(new Error('never'))
    await expect(peer.client.callTool('echo', { text: 'x' }, { signal })).rejects.toThrow('never')
    await quiet(20)
    expect(wire.sent('tools/call')).toEqual([])
  })

  it('LOG-002 LOG-004 BASE-040 log messages are emitted as events from the requested level on', async (_, setup) => {
    const peer = await openPeer(setup, { ...INPUT_HANDLERS, logLevel: 'warning' })
    expect(await callText(peer, 'logs')).toBe('logged')
    await until(() => peer.events.length >= 5)
    expect(peer.events).toEqual(
      LEVELS.slice(LEVELS.indexOf('warning')).map((level) => ({ type: 'log', level, logger: 'tester', data: { about: level } })),
    )
    await callText(peer, 'echo', { text: 'x' })
    expect(viewWire(peer).sent('logging/setLevel').length).toBeLessThanOrEqual(1)
  })

  it('BASE-040 no level is requested without the option', async (peer) => {
    const wire = viewWire(peer)
    await callText(peer, 'logs')
    expect(wire.sent('logging/setLevel')).toEqual([])
    expect(JSON.stringify(wire.sent())).not.toContain('logLevel')
  })
})
