import { expect, test } from 'vitest'
import { createEventHub } from '../state/event-hub.ts'
import { createTimeline, type NewEntry } from './timeline.ts'

const entry = (serverId = 's1'): NewEntry => ({ type: 'stderr', serverId, time: 0, text: 'line' })

test('counts from the first entry that is kept', () => {
  const timeline = createTimeline(createEventHub())
  timeline.setLimit(2)
  for (let at = 0; at < 3; at++) timeline.add(entry())
  expect(timeline.state).toMatchObject({ firstId: 2, size: 2, dropped: 1 })
  timeline.clear()
  timeline.pause(true)
  timeline.add(entry())
  timeline.pause(false)
  expect(timeline.add(entry())).toBe(5)
  expect(timeline.state).toMatchObject({ firstId: 5, size: 1, dropped: 1 })
})

test('says whose entries were cleared', () => {
  const hub = createEventHub()
  const events: unknown[] = []
  hub.subscribe(({ event }) => void (event.type === 'cleared' && events.push(event)))
  const timeline = createTimeline(hub)
  timeline.add(entry('s1'))
  timeline.add(entry('s2'))
  timeline.clear('s1')
  expect([...timeline.all()].map((stored) => stored.entry.serverId)).toEqual(['s2'])
  timeline.clear()
  expect(events).toEqual([{ type: 'cleared', serverId: 's1' }, { type: 'cleared' }])
})
