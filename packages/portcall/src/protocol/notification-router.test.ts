import { expect, test } from 'vitest'
import type { JsonObject } from '../jsonrpc/message.ts'
import { MetaKey } from './meta.ts'
import { createNotificationRouter } from './notification-router.ts'
import type { LoggingLevel } from './types.ts'

const withLevel = (level: LoggingLevel): JsonObject => ({ _meta: { [MetaKey.logLevel]: level } })

test('the log level is the most verbose one of the open requests', () => {
  const router = createNotificationRouter()
  expect(router.logLevel).toBe(undefined)
  const error = router.register(withLevel('error'), () => {})
  const debug = router.register(withLevel('debug'), () => {})
  const second = router.register(withLevel('debug'), () => {})
  router.register({ _meta: { progressToken: 1 } }, () => {})
  expect(router.logLevel).toBe('debug')
  debug.unregister()
  debug.unregister()
  expect(router.logLevel).toBe('debug')
  second.unregister()
  expect(router.logLevel).toBe('error')
  error.unregister()
  expect(router.logLevel).toBe(undefined)
})

test('the log level takes the same time, however many requests are open', () => {
  const count = 20_000
  const router = createNotificationRouter()
  const startedAt = performance.now()
  for (let nth = 0; nth < count; nth++) router.register(withLevel('info'), () => {})
  const registeredAt = performance.now()
  for (let nth = 0; nth < count / 10; nth++) expect(router.logLevel).toBe('info')
  expect(performance.now() - registeredAt).toBeLessThan(10 * (registeredAt - startedAt) + 100)
})
