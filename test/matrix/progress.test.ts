import { expect } from 'vitest'
import { callTool, GAPS, matrix, openPeer, quiet, textOf } from './matrix.ts'

const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']

matrix('progress', (it) => {
  it('PRG-001 PRG-003 PRG-004 PRG-010 progress is sent to clients that requested it, increasing, before the response', async (peer, {
    revision,
  }) => {
    for (const progressToken of ['token', 0]) {
      const { notifications, result } = await callTool(peer, 'counts', { to: 3 }, { meta: { progressToken } })
      const message = (n: number): object => (revision < '2025-03-26' ? {} : { message: `${n} of 3` })
      expect(notifications.map(({ params }) => params)).toEqual(
        [1, 2, 3].map((n) => ({ progressToken, progress: n, total: 3, ...message(n) })),
      )
      expect(result.isError).not.toBe(true)
    }
  })

  it('PRG-002 PRG-006 progress is not sent without a token', async (peer) => {
    expect((await callTool(peer, 'counts', { to: 3 })).notifications).toEqual([])
  })

  it('LOG-002 LOG-003 LOG-006 LOG-008 log messages are sent from the requested level on', async (peer) => {
    await peer.setLogLevel('warning')
    const { notifications } = await callTool(peer, 'logs')
    const expected = LEVELS.slice(LEVELS.indexOf('warning'))
    expect(notifications.map(({ method, params }) => [method, params?.level])).toEqual(
      expected.map((level) => ['notifications/message', level]),
    )
    expect(notifications[0]?.params).toEqual({ level: 'warning', logger: 'tester', data: { about: 'warning' } })
    await peer.setLogLevel('debug')
    expect((await callTool(peer, 'logs')).notifications).toHaveLength(LEVELS.length)
  })

  it(
    'LOG-007 no log messages are sent without a level',
    async (_, setup) => {
      const peer = await openPeer(setup, {})
      expect((await callTool(peer, 'logs')).notifications).toEqual([])
    },
    GAPS.stateless,
  )

  it('LOG-010 an unknown level is rejected with -32602', async (peer) => {
    if (peer.era === 'legacy') expect((await peer.request('logging/setLevel', { level: 'loud' })).error?.code).toBe(-32602)
    else
      expect((await callTool(peer, 'logs', {}, { meta: { 'io.modelcontextprotocol/logLevel': 'loud' } })).error?.code).toBe(
        -32602,
      )
  })

  it('PRG-007 no progress is sent after the response', async (peer) => {
    const { response } = await callTool(peer, 'counts', { to: 5 }, { meta: { progressToken: 'late' } })
    await quiet()
    const after = peer.log.slice(peer.log.findIndex(({ message }) => message.id === response.id && 'result' in message) + 1)
    expect(after.filter(({ message }) => message.method === 'notifications/progress')).toEqual([])
  })

  it('LIFE-019 a tool that exceeds its timeout is stopped', async (peer) => {
    const outcome = await callTool(peer, 'late')
    expect(outcome.result.isError).toBe(true)
    expect(textOf(outcome)).toMatch(/30 ms/)
  })

  it('H46 concurrent requests receive their own responses and progress', async (peer) => {
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        callTool(peer, n % 2 ? 'counts' : 'echo', n % 2 ? { to: n } : { text: `${n}` }, { meta: { progressToken: `t${n}` } }),
      ),
    )
    outcomes.forEach((outcome, n) => {
      const own = outcome.notifications.filter(({ params }) => params?.progressToken === `t${n}`)
      expect(textOf(outcome)).toBe(n % 2 ? 'counted' : `${n}`)
      expect(own).toHaveLength(n % 2 ? n : 0)
    })
  })
})
