import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createMemoryLog } from '../../../stores/memory-log.ts'
import { decodeEntries, END, encodeEntry, encodePosition, readPosition } from './entries.ts'
import { createReader } from './reader.ts'
import { Key, type StreamRecord } from './records.ts'

/** One writer's entries: how many events each has, and whether it was written twice; then what a dead hand wrote after it was replaced. */
const writer = fc.record({
  batches: fc.array(fc.record({ size: fc.integer({ min: 1, max: 4 }), twice: fc.boolean() }), { maxLength: 6 }),
  late: fc.nat(2),
})

test('whoever comes back after any event gets exactly the rest, whatever was written twice or by a dead hand', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(writer, { minLength: 1, maxLength: 4 }), fc.boolean(), async (writers, ended) => {
      const log = createMemoryLog()
      const earlier: string[] = []
      const events: { position: string; data: string }[] = []
      for (const [at, { batches, late }] of writers.entries()) {
        const key = Key.log('s', 'x', at)
        let number = 1
        let place = ''
        for (const [batch, { size, twice }] of batches.entries()) {
          const data = Array.from({ length: size }, (_, n) => `${at}.${batch}.${n}`)
          const first = await log.append(key, encodeEntry(number, data))
          const position = twice ? await log.append(key, encodeEntry(number, data)) : first
          for (const [n, text] of data.entries())
            events.push({
              position: encodePosition({ writer: at, number: number + n, place: n === size - 1 ? position : place }),
              data: text,
            })
          number += size
          place = position
        }
        const isLast = at === writers.length - 1
        if (!isLast) earlier.push(place)
        if (!isLast) for (let n = 0; n < late; n++) await log.append(key, encodeEntry(number + n, ['late']))
        else if (ended) await log.append(key, END)
      }
      const record: StreamRecord = { writer: 'a:1', reader: 'a:1', earlier, standing: false, requests: [] }
      const reader = createReader({ session: 's', log, known: async () => record })
      for (const [at, { position }] of events.entries()) {
        const reading = await reader.readOn('x', position)
        expect(reading.entries.map(({ data }) => data)).toEqual(events.slice(at + 1).map(({ data }) => data))
        expect(reading.ended).toBe(ended)
        for (const [n, entry] of reading.entries.entries()) {
          const again = await reader.readOn('x', entry.position)
          expect(again.entries.map(({ data }) => data)).toEqual(events.slice(at + n + 2).map(({ data }) => data))
        }
      }
    }),
    { numRuns: 300 },
  )
})

test('events that are missing in between are not passed over', () => {
  const entries = [{ position: 'p', data: encodeEntry(3, ['c']) }]
  expect(() => decodeEntries(entries, { writer: 0, number: 1, place: '' })).toThrow('position')
  expect(() => decodeEntries([], { writer: 0, number: 1, place: '' })).toThrow('position')
  expect(() => readPosition('x')).toThrow('position')
})
