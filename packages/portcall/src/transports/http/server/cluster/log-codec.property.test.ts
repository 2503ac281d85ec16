import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createMemoryLog } from '../../../../stores/memory/log.ts'
import { decodeCursor, decodeEntries, END, encodeCursor, encodeEntry } from './log-codec.ts'
import { keys, type StreamRecord } from './records.ts'
import { createStreamReader } from './stream-reader.ts'

/**
 * The log entries of one writer: how many events each has, and whether it was appended twice. `ignored` entries are appended after another
 * writer has taken over.
 */
const writer = fc.record({
  batches: fc.array(fc.record({ size: fc.integer({ min: 1, max: 4 }), twice: fc.boolean() }), { maxLength: 6 }),
  ignored: fc.nat(2),
})

test('a read after any event returns exactly the later events, without duplicates and entries of writers that were replaced', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(writer, { minLength: 1, maxLength: 4 }), fc.boolean(), async (writers, isEnded) => {
      const log = createMemoryLog()
      const earlierLogEnds: string[] = []
      const events: { position: string; data: string }[] = []
      for (const [index, { batches, ignored }] of writers.entries()) {
        const key = keys.log('s', 'x', index)
        let number = 1
        let logPosition = ''
        for (const [batch, { size, twice }] of batches.entries()) {
          const data = Array.from({ length: size }, (_, n) => `${index}.${batch}.${n}`)
          const first = await log.append(key, encodeEntry(number, data))
          const position = twice ? await log.append(key, encodeEntry(number, data)) : first
          for (const [n, text] of data.entries())
            events.push({
              position: encodeCursor({ writer: index, number: number + n, logPosition: n === size - 1 ? position : logPosition }),
              data: text,
            })
          number += size
          logPosition = position
        }
        const isLast = index === writers.length - 1
        if (!isLast) earlierLogEnds.push(logPosition)
        if (!isLast) for (let n = 0; n < ignored; n++) await log.append(key, encodeEntry(number + n, ['ignored']))
        else if (isEnded) await log.append(key, END)
      }
      const record: StreamRecord = { writer: 'a:1', reader: 'a:1', earlierLogEnds, isStandalone: false, requestIds: [] }
      const reader = createStreamReader({ session: 's', log, findRecord: async () => record })
      for (const [index, { position }] of events.entries()) {
        const read = await reader.readAfter('x', position)
        expect(read.events.map(({ data }) => data)).toEqual(events.slice(index + 1).map(({ data }) => data))
        expect(read.isEnded).toBe(isEnded)
        for (const [n, event] of read.events.entries()) {
          const again = await reader.readAfter('x', event.position)
          expect(again.events.map(({ data }) => data)).toEqual(events.slice(index + n + 2).map(({ data }) => data))
        }
      }
    }),
    { numRuns: 300 },
  )
})

test('missing events and malformed positions are errors', () => {
  const entries = [{ position: 'p', data: encodeEntry(3, ['c']) }]
  expect(() => decodeEntries(entries, { writer: 0, number: 1, logPosition: '' })).toThrow('position')
  expect(() => decodeEntries([], { writer: 0, number: 1, logPosition: '' })).toThrow('position')
  expect(() => decodeCursor('x')).toThrow('position')
})
