import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { InvalidResponseError } from '../../../jsonrpc/errors.ts'
import { createSseDecoder, type ReceivedSseEvent } from './sse-decode.ts'
import { encodeEvent, type SseEvent } from './sse-encode.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

function decode(text: string | Uint8Array, step = Infinity, maxBytes = 1 << 20): ReceivedSseEvent[] {
  const decoder = createSseDecoder(maxBytes)
  const all = typeof text === 'string' ? bytes(text) : text
  const events: ReceivedSseEvent[] = []
  for (let at = 0; at < all.length; at += step) events.push(...decoder.push(all.slice(at, at + step)))
  return events
}

describe('an event stream', () => {
  test('C22a with a byte order mark, comments, CRLF, several data lines and split characters', () => {
    const text = '\ufeffevent: message\r\n: comment\r\ndata: ä\r\ndata: 😀\r\nid: 1\r\nretry: 20\r\n\r\ndata: next\r\n\r\n'
    for (const step of [1, 2, 3, 7, Infinity]) {
      expect(decode(text, step)).toEqual([{ event: 'message', data: 'ä\n😀', id: '1', retry: 20 }, { data: 'next' }])
    }
  })

  test('C22b with lines that end with CR', () => {
    for (const step of [1, 2, Infinity])
      expect(decode('data: a\rdata: b\r\rdata: c\r\r', step)).toEqual([{ data: 'a\nb' }, { data: 'c' }])
  })

  test('with mixed line breaks', () => {
    for (const step of [1, 2, 3, Infinity])
      expect(decode('data: a\r\n\ndata: b\n\r\ndata: c\r\n\r', step)).toEqual([{ data: 'a' }, { data: 'b' }, { data: 'c' }])
  })

  test('C22c ignores ids with NUL and unknown fields; the space after the colon is optional', () => {
    expect(decode('id: a\0b\nfoo: bar\ndata:x\ndata:  y\n\n')).toEqual([{ data: 'x\n y' }])
    expect(decode('data\nid\n\n')).toEqual([{ data: '', id: '' }])
    expect(decode(`retry: 1s\nretry: -1\nretry: ${'9'.repeat(30)}\ndata: x\n\n`)).toEqual([{ data: 'x' }])
  })

  test('C22e does not deliver an event without a final blank line', () => {
    expect(decode('data: a\n\ndata: b\n')).toEqual([{ data: 'a' }])
    expect(decode('data: a\n\ndata: b')).toEqual([{ data: 'a' }])
  })

  test('keeps Unicode line separators within data', () => {
    expect(decode('data: a\u2028b\u2029c\u0085d\vd\n\n')).toEqual([{ data: 'a\u2028b\u2029c\u0085d\vd' }])
  })

  test('C16 marks events that are not UTF-8, and continues', () => {
    const broken = [...bytes('data: '), 0xff, 0xfe, ...bytes('\n\ndata: good\n\n')]
    expect(decode(Uint8Array.from(broken))).toEqual([{ isMalformed: true }, { data: 'good' }])
  })

  test('reports comments, which are not events', () => {
    const decoder = createSseDecoder(100)
    expect(decoder.push(bytes('data: a\n\n'))).toHaveLength(1)
    expect(decoder.hasComments).toBe(false)
    expect(decoder.push(bytes(':\n\n: ping\n\n'))).toEqual([])
    expect(decoder.hasComments).toBe(true)
  })

  test('may be decoded from a buffer that is reused', () => {
    const decoder = createSseDecoder(100)
    const chunk = bytes('data: ab')
    decoder.push(chunk)
    chunk.fill(0)
    expect(decoder.push(bytes('c\n\n'))).toEqual([{ data: 'abc' }])
  })
})

describe('an event that is too large', () => {
  test.each([
    ['one line', `data: ${'x'.repeat(2000)}\n\n`],
    ['many lines', 'data: x\n'.repeat(500)],
    ['many ids', 'id: x\n'.repeat(500)],
  ])('with %s is rejected', (_, text) => {
    for (const step of [1, 100, Infinity]) expect(() => decode(text, step, 1000)).toThrow(InvalidResponseError)
  })

  test('may be preceded by any number of comments', () => {
    expect(decode(`${': ping\n'.repeat(500)}data: x\n\n`, 10, 1000)).toEqual([{ data: 'x' }])
  })

  test('C20 is rejected at the limit, in linear time', () => {
    const decoder = createSseDecoder(4 << 20)
    const chunk = new Uint8Array(16 * 1024).fill(120)
    let pushed = 0
    const startedAt = performance.now()
    expect(() => {
      for (; pushed < 200 << 20; pushed += chunk.length) decoder.push(chunk)
    }).toThrow('exceeds 4194304 bytes')
    expect(pushed).toBeLessThan(5 << 20)
    expect(performance.now() - startedAt).toBeLessThan(10_000)
  })

  test('does not take longer for chunks with many line feeds', () => {
    const text = bytes('data: x\n\n'.repeat(200_000))
    const startedAt = performance.now()
    expect(decode(text, 1 << 16)).toHaveLength(200_000)
    expect(performance.now() - startedAt).toBeLessThan(30_000)
  })
})

const event: fc.Arbitrary<SseEvent> = fc.record(
  {
    event: fc.constantFrom('message', 'endpoint', 'other'),
    id: fc.stringMatching(/^[\x21-\x7e]{1,20}$/),
    retry: fc.nat(),
    data: fc.string({ unit: 'binary' }).map((text) => text.replace(/\r\n?/g, '\n')),
  },
  { requiredKeys: ['data'] },
)

test('the decoder decodes what the encoder encodes, however it is split', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 5 }), fc.array(fc.nat(40), { minLength: 1, maxLength: 20 }), (events, steps) => {
      const all = bytes(events.map(encodeEvent).join(''))
      const decoder = createSseDecoder(1 << 20)
      const decoded: ReceivedSseEvent[] = []
      for (let at = 0, turn = 0; at < all.length; turn++) {
        const step = steps[turn % steps.length]! + (turn >= steps.length ? 1 : 0)
        decoded.push(...decoder.push(all.slice(at, at + step)))
        at += step
      }
      expect(decoded).toEqual(
        events.map((one) => ({ ...one, data: new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes(one.data ?? '')) })),
      )
    }),
  )
})
