import { expect, test } from 'vitest'
import { success } from '../../../../jsonrpc/message.ts'
import { createMemoryLog } from '../../../../stores/memory/log.ts'
import type { HttpEndpoint } from '../endpoint.ts'
import { HTTP_LIMITS } from '../limits.ts'
import { Stream } from './stream.ts'

test('what is sent after the log was deleted, such as the response of a call that ends late, leaves nothing in the log', async () => {
  const log = createMemoryLog()
  const endpoint = { limits: HTTP_LIMITS, onError: () => {} } as unknown as HttpEndpoint
  const options = { endpoint, log, key: 'http/session', eventIdPrefix: 'x', canPoll: () => true, onInactive: () => {} }
  const stream = new Stream('1', false, options)
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
