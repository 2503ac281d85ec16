import { describe, expect, test } from 'vitest'
import { notification } from '../../jsonrpc/message.ts'
import { createBacklog } from './backlog.ts'

const event = (eventId: string) => notification('notifications/events/event', { eventId })

describe('the messages after a position', () => {
  test('are those after the first of several messages with this position', () => {
    const backlog = createBacklog('start')
    for (const [id, cursor] of [
      ['1', 'one'],
      ['3', 'one'],
      ['4', 'one'],
      ['2', 'four'],
    ] as const)
      backlog.add(event(id), cursor)
    const after = (cursor: string) => backlog.after(cursor)?.map(({ params }) => params?.eventId)
    expect(after('one')).toEqual(['3', '4', '2'])
    expect(after('start')).toEqual(['1', '3', '4', '2'])
    expect(after('four')).toEqual([])
    expect(after('other')).toBeUndefined()
  })

  test('are not known when the first message with this position is not kept any more', () => {
    const backlog = createBacklog('start')
    for (let n = 0; n < 70; n++) backlog.add(event(String(n)), 'held')
    expect(backlog.after('held')).toBeUndefined()
    backlog.add(event('70'), 'released')
    expect(backlog.after('released')).toEqual([])
    expect(backlog.after('held')).toBeUndefined()
    for (let n = 71; n < 140; n++) backlog.add(event(String(n)), `after ${n}`)
    backlog.add(event('140'), 'held')
    expect(backlog.after('held')).toEqual([])
  })
})
