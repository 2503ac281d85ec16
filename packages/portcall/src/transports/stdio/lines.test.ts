import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { splitBytes } from '../../../test-kit/split-bytes.ts'
import type { ChannelInput } from '../../jsonrpc/channel.ts'
import type { Message } from '../../jsonrpc/message.ts'
import { createLineReader, encodeLine, type LineReaderOptions } from './lines.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

function read(chunks: Iterable<Uint8Array>, options: Omit<LineReaderOptions, 'onReceived'> = {}): ChannelInput[] {
  const received: ChannelInput[] = []
  const reader = createLineReader({ ...options, onReceived: (one) => received.push(one) })
  for (const chunk of chunks) reader.push(chunk)
  reader.end()
  return received
}

const values = (list: unknown[]): ChannelInput[] => list.map((value) => ({ value }))

describe('lines', () => {
  test('STDIO-003, S06: messages are parsed whatever the chunks, with \\n, \\r\\n and blank lines between them', () => {
    const message = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as unknown)
    const ending = fc.constantFrom('\n', '\r\n', '\n\n', '\n \t\r\n', '\r\n\r\n')
    const lines = fc.array(fc.tuple(message, ending))
    const sizes = fc.array(fc.integer({ min: 1, max: 64 }), { minLength: 1 })
    fc.assert(
      fc.property(lines, sizes, (list, cuts) => {
        const whole = bytes(list.map(([value, end]) => JSON.stringify(value) + end).join(''))
        expect(read(splitBytes(whole, cuts))).toEqual(values(list.map(([value]) => value)))
      }),
    )
  })

  test('S06: one byte at a time, with multi-byte characters', () => {
    const value = { text: 'ä€\u{1f600}\u2028\u2029\ud800', nested: [1, { a: null }] }
    expect(read(splitBytes(bytes(`${JSON.stringify(value)}\r\n`), [1]))).toEqual(values([value]))
  })

  test('a last line without line break is parsed at the end', () => {
    expect(read([bytes('1\n2')])).toEqual(values([1, 2]))
    expect(read([bytes('1\n  ')])).toEqual(values([1]))
    expect(read([])).toEqual([])
  })

  test('S01: a line that is not JSON is reported, and the other lines are parsed', () => {
    expect(read([bytes('1\n{"a":\nhello\n2\n')])).toEqual([
      { value: 1 },
      { unreadable: 'syntax' },
      { unreadable: 'syntax' },
      { value: 2 },
    ])
  })

  test('S05: invalid UTF-8 and a byte order mark are reported', () => {
    const broken = [
      [0xff, 0xfe],
      [0xc0, 0x80],
      [0xed, 0xa0, 0x80],
      [0xe2, 0x82],
      [0xf5, 0x80, 0x80, 0x80],
    ]
    for (const inside of broken)
      expect(read([bytes('1\n"'), Uint8Array.from(inside), bytes('"\n2\n')])).toEqual([
        { value: 1 },
        { unreadable: 'syntax' },
        { value: 2 },
      ])
    expect(read([bytes('\ufeff1\n2\n')])).toEqual([{ unreadable: 'syntax' }, { value: 2 }])
  })

  test('S07: nesting beyond the limit is reported, at the limit it is parsed', () => {
    const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}\n`
    for (const depth of [129, 100_000, 1_000_000])
      expect(read([bytes(nested(depth)), bytes('2\n')])).toEqual([{ unreadable: 'depth' }, { value: 2 }])
    expect(read([bytes(nested(128))])[0]).toHaveProperty('value')
    expect(read([bytes(`${'['.repeat(1_000_000)}\n2\n`)])).toEqual([{ unreadable: 'depth' }, { value: 2 }])
  })

  test('S08: a line that is too long is reported once, and the next one is parsed', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1 })
    fc.assert(
      fc.property(fc.integer({ min: 3, max: 600 }), sizes, fc.constantFrom('\n', '\r\n'), (length, cuts, end) => {
        const text = JSON.stringify('x'.repeat(length - 2))
        const expected = length <= 200 ? { value: 'x'.repeat(length - 2) } : { unreadable: 'size' }
        expect(read(splitBytes(bytes(`1${end}${text}${end}2${end}`), cuts), { maxBytes: 200 })).toEqual([
          { value: 1 },
          expected,
          { value: 2 },
        ])
      }),
    )
  })

  test('S08: a line that is too long is reported before its end arrives', () => {
    const received: ChannelInput[] = []
    const reader = createLineReader({ maxBytes: 10, onReceived: (one) => received.push(one) })
    for (let piece = 0; piece < 5; piece++) reader.push(bytes('xxxxx'))
    expect(received).toEqual([{ unreadable: 'size' }])
    reader.end()
    expect(received.length).toBe(1)
  })

  test('C01: a line that is too long is reported at once if its start says enough, and otherwise at its end', () => {
    const read = (text: string): number[] => {
      const counts: number[] = []
      const received: ChannelInput[] = []
      const reader = createLineReader({
        maxBytes: 10,
        excerptBytes: 4,
        isSufficient: (head) => head === 'good',
        onReceived: (one) => received.push(one),
      })
      for (const piece of [text, 'xxxxxxxxxx', 'xxxxx\n', '2\n']) {
        reader.push(bytes(piece))
        counts.push(received.length)
      }
      expect(received[0]).toMatchObject({ unreadable: 'size', head: text.slice(0, 4) })
      return counts
    }
    expect(read('good')).toEqual([0, 1, 1, 2])
    expect(read('other')).toEqual([0, 0, 1, 2])
  })

  test('C01, C11, C16: the start and the end of unreadable lines are reported if requested', () => {
    const cause = fc.constantFrom(
      ['size', 'x'.repeat(400)],
      ['syntax', `{"begin":${'x'.repeat(150)}`],
      ['depth', `${'['.repeat(140)}${']'.repeat(140)}`],
    )
    const sizes = fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1 })
    fc.assert(
      fc.property(cause, sizes, fc.constantFrom('\n', '\r\n'), ([unreadable = '', text = ''], cuts, end) => {
        const whole = bytes(`1${end}${text}${end}2${end}${text}`)
        const report = { unreadable, head: text.slice(0, 20), tail: text.slice(-20) }
        expect(read(splitBytes(whole, cuts), { maxBytes: 300, excerptBytes: 20 })).toEqual([
          { value: 1 },
          report,
          { value: 2 },
          report,
        ])
      }),
    )
  })

  test('S09: 50 MB without a newline take linear time and little memory', () => {
    const chunk = new Uint8Array(16 * 1024).fill(0x20)
    const run = (megabytes: number, maxBytes: number): number => {
      const reader = createLineReader({ maxBytes, onReceived: () => {} })
      const started = performance.now()
      for (let sent = 0; sent < megabytes * 64; sent++) reader.push(chunk)
      reader.end()
      return performance.now() - started
    }
    run(5, 64 * 1024 * 1024)
    const inUse = (): number => process.memoryUsage().heapUsed + process.memoryUsage().external
    const before = inUse()
    expect(run(50, 4 * 1024 * 1024)).toBeLessThan(10_000)
    expect(inUse() - before).toBeLessThan(24 * 1024 * 1024)
    expect(run(50, 64 * 1024 * 1024)).toBeLessThan(20_000)
  })

  test('an error thrown by the receiver does not lose later lines', () => {
    const received: ChannelInput[] = []
    const reader = createLineReader({
      onReceived(one) {
        if (received.push(one) === 1) throw new Error('bad')
      },
    })
    reader.push(bytes('[1'))
    expect(() => reader.push(bytes(']\n'))).toThrow('bad')
    reader.push(bytes('[2]\n'))
    expect(received).toEqual(values([[1], [2]]))
  })
})

describe('encoding', () => {
  test('STDIO-003: every message is encoded as one line and parsed to the same value', () => {
    const message = fc.record({ jsonrpc: fc.constant('2.0' as const), id: fc.string(), method: fc.string({ unit: 'binary' }) })
    fc.assert(
      fc.property(fc.oneof(message, fc.array(message)), (sent: Message | Message[]) => {
        const line = encodeLine(sent)
        expect(line.indexOf('\n')).toBe(line.length - 1)
        expect(read([bytes(line)])).toEqual(values([sent]))
      }),
    )
  })
})

describe('chunks do not change how a line is reported', () => {
  const whole = (line: Uint8Array): Iterable<Uint8Array> => [line]
  const split = (line: Uint8Array): Iterable<Uint8Array> => splitBytes(line, [3])

  test.each([
    ['one byte too long, and not UTF-8', Uint8Array.of(...bytes('x'.repeat(10)), 0xff, 10), 'size'],
    ['as long as allowed, not UTF-8, with CR', Uint8Array.of(...bytes('x'.repeat(9)), 0xff, 13, 10), 'syntax'],
    ['one byte too long', bytes(`${'1'.repeat(11)}\n`), 'size'],
  ])('%s', (_, line, unreadable) => {
    for (const chunks of [whole, split]) expect(read(chunks(line), { maxBytes: 10 })).toEqual([{ unreadable }])
  })

  test.each([
    ['that is not UTF-8', Uint8Array.of(...bytes('not JSON'), 0xff, 13, 13, 10), 'ON\ufffd\r'],
    ['before one that is not UTF-8', Uint8Array.of(...bytes('not JSON\r\r\n'), 0xff, 10), 'SON\r'],
  ])('with two CRs, of which one belongs to the line, %s', (_, line, tail) => {
    for (const chunks of [whole, split])
      expect(read(chunks(line), { excerptBytes: 4 })[0]).toEqual({ unreadable: 'syntax', head: 'not ', tail })
  })
})
