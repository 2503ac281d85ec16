import fc from 'fast-check'
import { expect, test } from 'vitest'
import { notification } from '../../jsonrpc/message.ts'
import { createMemoryLog } from '../../stores/memory-log.ts'
import type { Endpoint } from './endpoint.ts'
import { HTTP_LIMITS } from './limits.ts'
import { createReplay } from './replay.ts'
import { createStreams } from './streams.ts'
import type { EventSink, HttpReply } from './types.ts'

/** A reply that keeps what is written, until its reader goes away. */
class FakeReply implements HttpReply {
  text = ''
  closed = false
  #listeners: Array<() => void> = []

  send(): void {
    throw new Error('a stream was expected')
  }

  open(_status: number, _headers: unknown, first = ''): EventSink {
    this.text += first
    const reply = this
    return {
      lag: undefined,
      bufferedBytes: 0,
      get closed() {
        return reply.closed
      },
      write: (text) => void (reply.closed || (reply.text += text)),
      keepAlive() {},
      end: () => reply.close(),
      cut: () => reply.close(),
      onClose: (listener) => void (reply.closed ? listener() : reply.#listeners.push(listener)),
    }
  }

  close(): void {
    if (this.closed) return
    this.closed = true
    for (const listener of this.#listeners) listener()
  }

  /** The ids and numbers of all events that came. */
  events(): { id: string; number: number | undefined }[] {
    return this.text
      .split('\n\n')
      .filter(Boolean)
      .map((event) => {
        const id = /^id: (.*)$/m.exec(event)?.[1] ?? ''
        const number = /"n":(\d+)/.exec(event)?.[1]
        return { id, number: number === undefined ? undefined : Number(number) }
      })
  }
}

function setUp(polling: boolean) {
  const errors: unknown[] = []
  const keys = new Set<string>()
  const memory = createMemoryLog()
  const log = { ...memory, append: (key: string, data: string) => keys.add(key) && memory.append(key, data) }
  const limits = { ...HTTP_LIMITS, maxEndedStreams: 100 }
  const endpoint = {
    limits,
    streams: createStreams(limits),
    onError: (error: unknown) => errors.push(error),
  } as unknown as Endpoint
  return { errors, keys, log, endpoint, replay: createReplay({ endpoint, log, key: 's', polling: () => polling }) }
}

const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0))
const step = fc.constantFrom('send', 'send', 'send', 'cut', 'resume', 'steal', 'wait', 'release')

test('however a reader is cut off and comes back, it gets each event once and in order, and of its own stream only', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.nat(1), step), { maxLength: 60 }), fc.boolean(), async (steps, polling) => {
      const { replay, errors, log, keys, endpoint } = setUp(polling)
      const readers = [0, 1].map((at) => {
        const reply = new FakeReply()
        return { stream: replay.begin(reply, { standing: at === 1 }), reply, got: [] as number[], last: '', sent: 0 }
      })
      const take = (reader: (typeof readers)[number]): void => {
        for (const { id, number } of reader.reply.events()) {
          if (number !== undefined) reader.got.push(number)
          reader.last = id || reader.last
        }
        reader.reply.text = ''
      }
      const resume = async (reader: (typeof readers)[number]): Promise<void> => {
        reader.reply.close()
        take(reader)
        if (reader.last === '') return
        reader.reply = new FakeReply()
        await replay.resume(reader.last, reader.reply)
      }
      for (const reader of readers) void reader.stream.send(notification('x', { n: reader.sent++ }))
      await settle()
      for (const [at, what] of steps) {
        const reader = readers[at] as (typeof readers)[number]
        if (what === 'send') void reader.stream.send(notification('x', { n: 1000 * at + reader.sent++ }))
        else if (what === 'cut') reader.reply.close()
        else if (what === 'release' && polling) reader.stream.release(1)
        else if (what === 'resume') await resume(reader)
        else if (what === 'steal') {
          const old = reader.reply
          await settle()
          take(reader)
          reader.reply = new FakeReply()
          await replay.resume(reader.last, reader.reply)
          expect(old.closed).toBe(true)
        } else if (what === 'wait') await settle()
      }
      for (const [at, reader] of readers.entries()) {
        await settle()
        await resume(reader)
        await settle()
        take(reader)
        expect(reader.got).toEqual(Array.from({ length: reader.sent }, (_, n) => (n === 0 ? 0 : 1000 * at + n)))
      }
      replay.close()
      await settle()
      expect(errors).toEqual([])
      for (const key of keys) expect(await log.read(key)).toEqual([])
      expect(endpoint.streams.size).toBe(0)
    }),
    { numRuns: 60 },
  )
})
