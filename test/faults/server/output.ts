import { setImmediate as turn } from 'node:timers/promises'
import type { Server } from 'portcall'
import { counts } from './probes.ts'

/** Tools with large or unusual output. */
export function addOutputTools(server: Server): void {
  const flood = {
    type: 'object',
    properties: { count: { type: 'integer' }, bytes: { type: 'integer' }, method: { type: 'string' } },
    required: ['count', 'bytes'],
  } as const

  server.tool('flood', { description: 'Waits for its reader.', input: flood }, async ({ count, bytes, method }, call) => {
    const data = 'x'.repeat(bytes)
    for (let at = 0; at < count && !call.signal.aborted; at++) {
      counts.sent++
      await (method ? call.notify(method, { data }) : call.log('info', data))
    }
    return `sent ${count}`
  })

  server.tool(
    'rude-flood',
    { description: 'Does not wait for its reader.', input: flood },
    async ({ count, bytes, method }, call) => {
      for (let at = 0; at < count && !call.signal.aborted; at++) {
        const data = `${at} ${'x'.repeat(bytes)}`
        counts.sent++
        void (method ? call.notify(method, { data }) : call.log('info', data))
        if (at % 16 === 0) await turn()
      }
      return `sent ${count}`
    },
  )

  server.tool(
    'big',
    { input: { type: 'object', properties: { bytes: { type: 'integer' } }, required: ['bytes'] } },
    ({ bytes }) => {
      counts.started++
      return 'x'.repeat(bytes)
    },
  )

  server.tool(
    'progress',
    { input: { type: 'object', properties: { steps: { type: 'integer' } }, required: ['steps'] } },
    async ({ steps }, call) => {
      for (let step = 1; step <= steps; step++) await call.progress(step, steps)
      return `${steps} steps`
    },
  )

  server.tool(
    'say',
    {
      description: 'Logs a text, then returns it.',
      input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    },
    ({ text }, call) => {
      void call.log('info', text)
      return text
    },
  )

  server.tool(
    'steps',
    {
      description: 'Logs numbered steps, `pauseMs` apart.',
      input: {
        type: 'object',
        properties: { count: { type: 'integer' }, pauseMs: { type: 'integer' } },
        required: ['count', 'pauseMs'],
      },
    },
    async ({ count, pauseMs }, call) => {
      for (let step = 1; step <= count; step++) {
        await call.log('info', `step ${step}`)
        await new Promise((resolve) => setTimeout(resolve, pauseMs))
      }
      counts.finished++
      return `${count} steps done`
    },
  )

  server.tool('print', {}, () => {
    console.log('printed by a tool')
    return 'printed'
  })
}
