import { setTimeout as sleep } from 'node:timers/promises'
import { LOGGING_LEVELS, type Server } from 'portcall'
import * as z from 'zod'
import type { Journal } from './index.ts'

/** Tools that report progress, write log messages, or run until they are cancelled. */
export function addProgress(server: Server, journal: Journal): void {
  server.tool('counts', { input: z.object({ to: z.number() }) }, async ({ to }, call) => {
    for (let n = 1; n <= to; n++) await call.progress(n, to, `${n} of ${to}`)
    await call.progress(to - 1, to, 'backwards')
    return 'counted'
  })
  server.tool(
    'counts_slowly',
    { input: z.object({ to: z.number(), ms: z.number().optional() }) },
    async ({ to, ms = 30 }, call) => {
      for (let n = 1; n <= to; n++) {
        await call.progress(n, to)
        await sleep(ms)
      }
      return 'counted'
    },
  )
  const held: Array<() => void> = []
  server.tool('holds', {}, async () => {
    journal.push('held')
    await new Promise<void>((resolve) => held.push(resolve))
    return 'let go'
  })
  server.tool('lets_go', {}, () => {
    for (const go of held.splice(0)) go()
    return 'all let go'
  })
  server.tool('logs', {}, async (_, call) => {
    for (const level of LOGGING_LEVELS) await call.log(level, { about: level }, 'tester')
    return 'logged'
  })
  server.tool('waits', { input: z.object({ name: z.string() }) }, ({ name }, { signal }) => {
    journal.push(`${name} started`)
    return new Promise<string>((_, reject) => {
      const stop = (): void => {
        journal.push(`${name} stopped`)
        reject(signal.reason)
      }
      if (signal.aborted) stop()
      else signal.addEventListener('abort', stop, { once: true })
    })
  })
  server.tool('late', { timeoutMs: 30 }, async (_, { signal }) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
    journal.push('late stopped')
    return 'too late'
  })
}
