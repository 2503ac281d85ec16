import { expect, test } from 'vitest'
import { channelEvent, channelGap } from './message.ts'

const EVENT = { name: 'ci__build.failed', eventId: 'b-1', timestamp: '2026-11-29T08:00:00Z', data: { build: '812' } }

test('each message has markers of its own', () => {
  const contents = [1, 2].map((seq) => String(channelEvent(EVENT, seq).params?.content).split('\n'))
  for (const [, first, data, last] of contents) expect([last, data]).toEqual([first, '{"build":"812"}'])
  expect(contents[0]?.[1]).not.toBe(contents[1]?.[1])
})

test('attributes contain nothing that could end them, whatever the server sends', () => {
  const name = "a\"\n<b attr='x'>"
  const { meta } = channelEvent({ ...EVENT, name, eventId: 'x'.repeat(300), timestamp: '&quot;' }, 7).params as any
  expect(meta).toEqual({ event: 'a___b attr__x__', event_id: 'x'.repeat(128), timestamp: '_quot_', seq: '7' })
  expect(channelGap(name, 8).params?.content).toMatch(/^Events a___b attr__x__ may be missing/)
})

test('long data is cut, and the message says so', () => {
  const content = String(channelEvent({ ...EVENT, data: { text: 'x'.repeat(50_000) } }, 1).params?.content)
  expect(content.length).toBeLessThan(21_000)
  expect(content).toMatch(/more characters\]\nevent-data-\S+\nThe data is cut\. Read the rest with the tools of the server\.$/)
})
