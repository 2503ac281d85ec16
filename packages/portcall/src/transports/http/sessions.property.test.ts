import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createTestCore } from '../../../test-kit/core.ts'
import { createMemoryLog } from '../../stores/memory-log.ts'
import { createFetchHandler } from './fetch.ts'

const TARGET = 'http://localhost/mcp'
const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
const step = fc.constantFrom(
  'open',
  'call',
  'say',
  'ask',
  'hold',
  'duplicate',
  'cancel',
  'read',
  'leave',
  'resume',
  'delete',
  'release',
  'wait',
)

const OPENING: [string, number][] = [
  ['open', 2],
  ['wait', 0],
  ['open', 2],
  ['wait', 0],
]

const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0))
const versions = ['2025-03-26', '2025-06-18', '2025-11-25']

test('whatever clients do in whatever order, nothing is left when the server has closed', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(step, fc.nat(5)), { minLength: 20, maxLength: 60 }), async (steps) => {
      const core = createTestCore()
      const keys = new Set<string>()
      const errors: unknown[] = []
      const memory = createMemoryLog()
      const log = { ...memory, append: (key: string, data: string) => keys.add(key) && memory.append(key, data) }
      const handler = createFetchHandler(core.exchange, {
        log,
        maxSessions: 3,
        maxSessionStreams: 2,
        maxEndedStreams: 2,
        onError: (error) => errors.push(error),
      })
      const sessions: string[] = []
      const responses: Response[] = []
      const statuses: number[] = []
      const eventIds: string[] = []

      const send = (method: string, headers: Record<string, string>, message?: object): void => {
        const body = message === undefined ? null : JSON.stringify({ jsonrpc: '2.0', ...message })
        void handler(new Request(TARGET, { method, headers: { ...HEADERS, ...headers }, body })).then((response) => {
          statuses.push(response.status)
          responses.push(response)
          const id = response.headers.get('mcp-session-id')
          if (id) sessions.push(id)
        })
      }
      const call = (session: string, name: string, id: number, args: object = {}): void =>
        send('POST', { 'mcp-session-id': session }, { id, method: 'tools/call', params: { name, arguments: args } })

      for (const [at, [what, pick]] of [...OPENING, ...steps].entries()) {
        const session = sessions[pick % Math.max(sessions.length, 1)] ?? 'none'
        const streaming = responses.filter(
          ({ body, headers }) => body && !body.locked && headers.get('content-type') === 'text/event-stream',
        )
        const response = streaming[pick % Math.max(streaming.length, 1)]
        const actions: Record<string, () => unknown> = {
          open: () =>
            send(
              'POST',
              {},
              {
                id: at,
                method: 'initialize',
                params: {
                  protocolVersion: versions[pick % 3],
                  capabilities: { elicitation: {} },
                  clientInfo: { name: 'x', version: '1' },
                },
              },
            ),
          call: () => call(session, 'add', at),
          say: () => call(session, 'progress', at),
          ask: () => call(session, 'ask', at),
          hold: () => call(session, 'hold', at, { say: pick % 2 === 0, retryMs: pick === 4 ? 5 : undefined }),
          duplicate: () => call(session, 'hold', 1),
          cancel: () =>
            send(
              'POST',
              { 'mcp-session-id': session },
              { method: 'notifications/cancelled', params: { requestId: pick === 0 ? 1 : at - pick } },
            ),
          read: () => send('GET', { 'mcp-session-id': session, accept: 'text/event-stream' }),
          async leave() {
            if (!response?.body) return
            const reader = response.body.getReader()
            const { value } = await Promise.race([reader.read(), settle().then(() => ({ value: undefined }))])
            eventIds.push(...(new TextDecoder().decode(value).match(/(?<=^id: ).*/gm) ?? []))
            await reader.cancel()
          },
          resume: () =>
            send('GET', { 'mcp-session-id': session, 'last-event-id': eventIds[pick % Math.max(eventIds.length, 1)] ?? 'x.y.z' }),
          delete: () => send('DELETE', { 'mcp-session-id': session }),
          release: () => core.release(),
          wait: settle,
        }
        await actions[what]?.()
        if (pick > 1) await settle()
      }
      await settle()
      await handler.close(0)
      await settle()
      await settle()
      expect(statuses.filter((status) => status >= 500 && status !== 503)).toEqual([])
      expect([core.running, core.listening, errors]).toEqual([0, 0, []])
      for (const key of keys) expect(await log.read(key)).toEqual([])
    }),
    { numRuns: 60 },
  )
})
