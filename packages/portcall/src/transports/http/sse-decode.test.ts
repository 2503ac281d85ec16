import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { UnreadableAnswer } from '../../jsonrpc/errors.ts'
import { encodeEvent, type ServerEvent } from './sse.ts'
import { createEventReader, type ReceivedEvent } from './sse-decode.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

function read(text: string | Uint8Array, step = Infinity, maxBytes = 1 << 20): ReceivedEvent[] {
  const reader = createEventReader(maxBytes)
  const all = typeof text === 'string' ? bytes(text) : text
  const events: ReceivedEvent[] = []
  for (let at = 0; at < all.length; at += step) events.push(...reader.push(all.slice(at, at + step)))
  return events
}

describe('a stream of events', () => {
  test('C22a has a byte order mark, comments, CRLF, several data lines and split characters', () => {
    const text = '\ufeffevent: message\r\n: comment\r\ndata: ä\r\ndata: 😀\r\nid: 1\r\nretry: 20\r\n\r\ndata: next\r\n\r\n'
    for (const step of [1, 2, 3, 7, Infinity]) {
      expect(read(text, step)).toEqual([{ event: 'message', data: 'ä\n😀', id: '1', retry: 20 }, { data: 'next' }])
    }
  })

  test('C22b has lines that end with a bare return', () => {
    for (const step of [1, 2, Infinity])
      expect(read('data: a\rdata: b\r\rdata: c\r\r', step)).toEqual([{ data: 'a\nb' }, { data: 'c' }])
  })

  test('mixes line ends', () => {
    for (const step of [1, 2, 3, Infinity])
      expect(read('data: a\r\n\ndata: b\n\r\ndata: c\r\n\r', step)).toEqual([{ data: 'a' }, { data: 'b' }, { data: 'c' }])
  })

  test('C22c ignores an id with NUL and fields that it does not know; the space after the colon is optional', () => {
    expect(read('id: a\0b\nfoo: bar\ndata:x\ndata:  y\n\n')).toEqual([{ data: 'x\n y' }])
    expect(read('data\nid\n\n')).toEqual([{ data: '', id: '' }])
    expect(read('retry: 1s\nretry: -1\ndata: x\n\n')).toEqual([{ data: 'x' }])
  })

  test('C22e does not deliver what no blank line ends', () => {
    expect(read('data: a\n\ndata: b\n')).toEqual([{ data: 'a' }])
    expect(read('data: a\n\ndata: b')).toEqual([{ data: 'a' }])
  })

  test('keeps separators of other alphabets inside of data', () => {
    expect(read('data: a\u2028b\u2029c\u0085d\vd\n\n')).toEqual([{ data: 'a\u2028b\u2029c\u0085d\vd' }])
  })

  test('C16 marks what is not UTF-8, and goes on', () => {
    const broken = [...bytes('data: '), 0xff, 0xfe, ...bytes('\n\ndata: good\n\n')]
    expect(read(Uint8Array.from(broken))).toEqual([{ unreadable: true }, { data: 'good' }])
  })

  test('tells whether it is kept alive, and makes no event of a comment', () => {
    const reader = createEventReader(100)
    expect(reader.push(bytes('data: a\n\n'))).toHaveLength(1)
    expect(reader.keptAlive).toBe(false)
    expect(reader.push(bytes(':\n\n: ping\n\n'))).toEqual([])
    expect(reader.keptAlive).toBe(true)
  })

  test('is read from bytes that are used again', () => {
    const reader = createEventReader(100)
    const chunk = bytes('data: ab')
    reader.push(chunk)
    chunk.fill(0)
    expect(reader.push(bytes('c\n\n'))).toEqual([{ data: 'abc' }])
  })
})

describe('an event that is too large', () => {
  test.each([
    ['one line', `data: ${'x'.repeat(2000)}\n\n`],
    ['many lines', 'data: x\n'.repeat(500)],
    ['many ids', 'id: x\n'.repeat(500)],
  ])('in %s is refused', (_, text) => {
    for (const step of [1, 100, Infinity]) expect(() => read(text, step, 1000)).toThrow(UnreadableAnswer)
  })

  test('may be preceded by any number of comments', () => {
    expect(read(`${': ping\n'.repeat(500)}data: x\n\n`, 10, 1000)).toEqual([{ data: 'x' }])
  })

  test('C20 is refused at the limit, in linear time', () => {
    const reader = createEventReader(4 << 20)
    const chunk = new Uint8Array(16 * 1024).fill(120)
    let taken = 0
    const startedAt = performance.now()
    expect(() => {
      for (; taken < 200 << 20; taken += chunk.length) reader.push(chunk)
    }).toThrow('4194304 bytes')
    expect(taken).toBeLessThan(5 << 20)
    expect(performance.now() - startedAt).toBeLessThan(10_000)
  })

  test('does not take longer the more line feeds a chunk has', () => {
    const text = bytes('data: x\n\n'.repeat(200_000))
    const startedAt = performance.now()
    expect(read(text, 1 << 16)).toHaveLength(200_000)
    expect(performance.now() - startedAt).toBeLessThan(30_000)
  })
})

const event: fc.Arbitrary<ServerEvent> = fc.record(
  {
    event: fc.constantFrom('message', 'endpoint', 'other'),
    id: fc.stringMatching(/^[\x21-\x7e]{1,20}$/),
    retry: fc.nat(),
    data: fc.string({ unit: 'binary' }).map((text) => text.replace(/\r\n?/g, '\n')),
  },
  { requiredKeys: ['data'] },
)

test('what one half writes, the other reads, however it is cut', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 5 }), fc.array(fc.nat(40), { minLength: 1, maxLength: 20 }), (events, steps) => {
      const all = bytes(events.map(encodeEvent).join(''))
      const reader = createEventReader(1 << 20)
      const found: ReceivedEvent[] = []
      for (let at = 0, turn = 0; at < all.length; turn++) {
        const step = steps[turn % steps.length]! + (turn >= steps.length ? 1 : 0)
        found.push(...reader.push(all.slice(at, at + step)))
        at += step
      }
      expect(found).toEqual(
        events.map((one) => ({ ...one, data: new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes(one.data ?? '')) })),
      )
    }),
  )
})
