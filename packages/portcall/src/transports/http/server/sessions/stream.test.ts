import { expect, test } from 'vitest'
import { success } from '../../../../jsonrpc/message.ts'
import { UnknownPositionError } from '../../../../stores/log.ts'
import { createMemoryLog } from '../../../../stores/memory/log.ts'
import type { HttpEndpoint } from '../endpoint.ts'
import { HTTP_LIMITS } from '../limits.ts'
import type { HttpReply } from '../types.ts'
import { Stream, type StreamEventLog } from './stream.ts'

const createStream = (log: StreamEventLog, limits = HTTP_LIMITS): Stream => {
  const endpoint = { limits, onError: () => {} } as unknown as HttpEndpoint
  const options = { endpoint, log, key: 'http/session/', eventIdPrefix: 'x', canPoll: () => true, onInactive: () => {} }
  return new Stream('1', false, options)
}

test('what is sent after the log was deleted, such as the response of a call that ends late, leaves nothing in the log', async () => {
  const log = createMemoryLog()
  const stream = createStream(log)
  stream.send(success(1, { step: 1 }))
  await stream.whenRecorded()
  expect(await log.read('http/session/1')).toHaveLength(1)

  stream.send(success(1, { step: 2 }))
  stream.deleteLog()
  stream.send(success(1, { step: 3 }))
  stream.end()
  await stream.whenRecorded()
  stream.send(success(1, { step: 4 }))
  await stream.whenRecorded()
  expect(await log.read('http/session/1')).toEqual([])
})

test('a log that is slower than a handler that ignores backpressure holds up a limited number of messages', async () => {
  const memory = createMemoryLog()
  let release = (): void => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  const appended: string[] = []
  const log: StreamEventLog = {
    ...memory,
    async append(key, data) {
      appended.push(data)
      await released
      return memory.append(key, data)
    },
  }
  const stream = createStream(log, { ...HTTP_LIMITS, maxBufferedBytes: 10_000 })
  const data = 'x'.repeat(1000)
  for (let at = 0; at < 1000; at++) stream.send({ jsonrpc: '2.0', method: 'notifications/example', params: { at, data } })
  stream.send(success(1, {}))
  release()
  await stream.whenRecorded()
  expect(appended.length).toBeLessThan(20)
  expect(appended.at(-1)).toContain('"result"')
  // What was recorded before the gap is gone, so that nobody resumes across it.
  await expect(stream.resume({} as HttpReply, '')).rejects.toThrow(UnknownPositionError)
})
