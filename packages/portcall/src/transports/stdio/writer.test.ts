import { describe, expect, test } from 'vitest'
import { createWriter, type Sink } from './writer.ts'

interface FakeSink extends Sink {
  readonly written: string[]
  drain(): void
  readonly ended: boolean
}

function fakeSink(): FakeSink {
  const written: string[] = []
  let waiting: Array<{ length: number; done: () => void }> = []
  let onEnd: (() => void) | undefined
  return {
    written,
    get writableLength() {
      return waiting.reduce((sum, { length }) => sum + length, 0)
    },
    get ended() {
      return onEnd !== undefined
    },
    write(text, done) {
      written.push(text)
      waiting.push({ length: text.length, done })
    },
    end(done) {
      onEnd = done
    },
    drain() {
      for (const { done } of waiting.splice(0)) done()
      waiting = []
      onEnd?.()
    },
  }
}

const tick = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 0))

async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false
  void promise.then(() => (settled = true))
  await tick()
  return settled
}

describe('a writer', () => {
  test('combines the texts of one tick in one write', async () => {
    const sink = fakeSink()
    const writer = createWriter(sink, { maxBufferedBytes: 1000, defer: process.nextTick })
    for (let at = 0; at < 5; at++) void Promise.resolve().then(() => void writer.write(`${at}`))
    await tick()
    void writer.write('next')
    await tick()
    expect(sink.written).toEqual(['01234', 'next'])
  })

  test('writes the first KB of a tick at once, then twice as much, and the rest in one write', async () => {
    const sink = fakeSink()
    const writer = createWriter(sink, { maxBufferedBytes: 10_000, defer: process.nextTick })
    const half = (letter: string): string => letter.repeat(512)
    const [a, b, c, d, e] = [half('a'), half('b'), half('c'), half('d'), half('e')]
    for (const text of [a, b, c, d, e, a, b]) void writer.write(text)
    expect(sink.written).toEqual([a + b, c + d + e + a])
    await tick()
    expect(sink.written).toEqual([a + b, c + d + e + a, b])
    for (const text of [a, b, c]) void writer.write(text)
    expect(sink.written.slice(3)).toEqual([a + b])
    await tick()
    expect(sink.written.slice(3)).toEqual([a + b, c])
  })

  test('S12: returns a promise when the buffer is full, and resolves it when the buffer has drained', async () => {
    const sink = fakeSink()
    const states: boolean[] = []
    const writer = createWriter(sink, { maxBufferedBytes: 10, defer: process.nextTick, onFull: (isFull) => states.push(isFull) })
    expect(writer.write('x'.repeat(10))).toBeUndefined()
    const waiting = writer.write('y')
    expect(waiting).toBeInstanceOf(Promise)
    expect(writer.write('z')).toBe(waiting)
    expect(await isSettled(Promise.resolve(waiting))).toBe(false)
    sink.drain()
    await waiting
    expect(states).toEqual([true, false])
    expect(writer.write('x')).toBeUndefined()
  })

  test('ends when everything is sent, and ignores later writes', async () => {
    const sink = fakeSink()
    const writer = createWriter(sink, { maxBufferedBytes: 10, defer: process.nextTick })
    void writer.write('last')
    const end = writer.end()
    expect(sink.written).toEqual(['last'])
    expect(writer.write('more')).toBeUndefined()
    expect(await isSettled(end)).toBe(false)
    sink.drain()
    await Promise.all([end, writer.end()])
    expect(sink.written).toEqual(['last'])
  })

  test('S11: resolves all promises when it is destroyed', async () => {
    const sink = fakeSink()
    const writer = createWriter(sink, { maxBufferedBytes: 10, defer: process.nextTick })
    const waiting = writer.write('x'.repeat(11))
    const ended = writer.end()
    writer.destroy()
    await Promise.all([waiting, ended, writer.end()])
    const destroyed = createWriter(fakeSink(), { maxBufferedBytes: 10, defer: process.nextTick })
    destroyed.destroy()
    expect(destroyed.write('x'.repeat(11))).toBeUndefined()
    await destroyed.end()
  })
})
