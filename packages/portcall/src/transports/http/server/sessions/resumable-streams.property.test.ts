import fc from 'fast-check'
import { expect, test } from 'vitest'
import { notification } from '../../../../jsonrpc/message.ts'
import { createMemoryLog } from '../../../../stores/memory/log.ts'
import type { HttpEndpoint } from '../endpoint.ts'
import { HTTP_LIMITS } from '../limits.ts'
import { createOpenStreams } from '../open-streams.ts'
import type { EventSink, HttpReply } from '../types.ts'
import { ResumableStreams } from './resumable-streams.ts'

/** A reply that collects its text until the client disconnects. */
class FakeReply implements HttpReply {
  text = ''
  closed = false
  #listeners: Array<() => void> = []

  send(): void {
    throw new Error('expected a stream')
  }

  open(_status: number, _headers: unknown, first = ''): EventSink {
    this.text += first
    const reply = this
    return {
      drained: undefined,
      bufferedBytes: 0,
      get closed() {
        return reply.closed
      },
      write: (text) => void (reply.closed || (reply.text += text)),
      sendHeartbeat() {},
      end: () => reply.close(),
      destroy: () => reply.close(),
      onClose: (listener) => void (reply.closed ? listener() : reply.#listeners.push(listener)),
    }
  }

  close(): void {
    if (this.closed) return
    this.closed = true
    for (const listener of this.#listeners) listener()
  }

  /** Returns the id and number of each event. */
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
  const limits = { ...HTTP_LIMITS, maxResumableStreams: 100 }
  const endpoint = {
    limits,
    streams: createOpenStreams(limits),
    onError: (error: unknown) => errors.push(error),
  } as unknown as HttpEndpoint
  return { errors, keys, log, endpoint, streams: new ResumableStreams({ endpoint, log, key: 's/', canPoll: () => polling }) }
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0))
const step = fc.constantFrom('send', 'send', 'send', 'disconnect', 'resume', 'replace', 'wait', 'release')

test('however a client disconnects and resumes, it receives each event once, in order, and of its own stream only', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.nat(1), step), { maxLength: 60 }), fc.boolean(), async (steps, polling) => {
      const { streams, errors, log, keys, endpoint } = setUp(polling)
      const readers = [0, 1].map((index) => {
        const reply = new FakeReply()
        const stream = streams.open(reply, index === 1 ? {} : { requests: [] })
        return { stream, reply, received: [] as number[], lastId: '', sent: 0 }
      })
      type Reader = (typeof readers)[number]
      const receive = (reader: Reader): void => {
        for (const { id, number } of reader.reply.events()) {
          if (number !== undefined) reader.received.push(number)
          reader.lastId = id || reader.lastId
        }
        reader.reply.text = ''
      }
      const resume = async (reader: Reader): Promise<void> => {
        reader.reply.close()
        receive(reader)
        if (reader.lastId === '') return
        reader.reply = new FakeReply()
        await streams.resume(reader.lastId, reader.reply)
      }
      for (const reader of readers) void reader.stream.send(notification('x', { n: reader.sent++ }))
      await nextTurn()
      for (const [index, action] of steps) {
        const reader = readers[index] as Reader
        if (action === 'send') void reader.stream.send(notification('x', { n: 1000 * index + reader.sent++ }))
        else if (action === 'disconnect') reader.reply.close()
        else if (action === 'release' && polling) reader.stream.release(1)
        else if (action === 'resume') await resume(reader)
        else if (action === 'replace') {
          const previous = reader.reply
          await nextTurn()
          receive(reader)
          reader.reply = new FakeReply()
          await streams.resume(reader.lastId, reader.reply)
          expect(previous.closed).toBe(true)
        } else if (action === 'wait') await nextTurn()
      }
      for (const [index, reader] of readers.entries()) {
        await nextTurn()
        await resume(reader)
        await nextTurn()
        receive(reader)
        expect(reader.received).toEqual(Array.from({ length: reader.sent }, (_, n) => (n === 0 ? 0 : 1000 * index + n)))
      }
      streams.delete()
      await nextTurn()
      expect(errors).toEqual([])
      for (const key of keys) expect(await log.read(key)).toEqual([])
      expect(endpoint.streams.size).toBe(0)
    }),
    { numRuns: 60 },
  )
})
