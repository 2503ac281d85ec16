import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createTestCore } from '../../../../../test-kit/test-core.ts'
import { createMemoryLog } from '../../../../stores/memory/log.ts'
import { createFetchHandler } from '../fetch.ts'

const TARGET = 'http://localhost/mcp'
const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
const step = fc.constantFrom(
  'open',
  'call',
  'progress',
  'elicit',
  'hold',
  'duplicate',
  'cancel',
  'listen',
  'disconnect',
  'resume',
  'delete',
  'release',
  'wait',
)

const INITIAL_STEPS: [string, number][] = [
  ['open', 2],
  ['wait', 0],
  ['open', 2],
  ['wait', 0],
]

const nextTurn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0))
const versions = ['2025-03-26', '2025-06-18', '2025-11-25']

test('whatever clients do, nothing is left after the server was closed', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(step, fc.nat(5)), { minLength: 20, maxLength: 60 }), async (steps) => {
      const core = createTestCore()
      const keys = new Set<string>()
      const errors: unknown[] = []
      const memory = createMemoryLog()
      const eventLog = { ...memory, append: (key: string, data: string) => keys.add(key) && memory.append(key, data) }
      const handler = createFetchHandler(core.exchange, {
        eventLog,
        maxSessions: 3,
        maxSessionStreams: 2,
        maxResumableStreams: 2,
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

      for (const [turn, [action, pick]] of [...INITIAL_STEPS, ...steps].entries()) {
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
                id: turn,
                method: 'initialize',
                params: {
                  protocolVersion: versions[pick % 3],
                  capabilities: { elicitation: {} },
                  clientInfo: { name: 'x', version: '1' },
                },
              },
            ),
          call: () => call(session, 'add', turn),
          progress: () => call(session, 'progress', turn),
          elicit: () => call(session, 'ask', turn),
          hold: () => call(session, 'hold', turn, { notify: pick % 2 === 0, retryDelayMs: pick === 4 ? 5 : undefined }),
          duplicate: () => call(session, 'hold', 1),
          cancel: () =>
            send(
              'POST',
              { 'mcp-session-id': session },
              { method: 'notifications/cancelled', params: { requestId: pick === 0 ? 1 : turn - pick } },
            ),
          listen: () => send('GET', { 'mcp-session-id': session, accept: 'text/event-stream' }),
          async disconnect() {
            if (!response?.body) return
            const reader = response.body.getReader()
            const { value } = await Promise.race([reader.read(), nextTurn().then(() => ({ value: undefined }))])
            eventIds.push(...(new TextDecoder().decode(value).match(/(?<=^id: ).*/gm) ?? []))
            await reader.cancel()
          },
          resume: () =>
            send('GET', { 'mcp-session-id': session, 'last-event-id': eventIds[pick % Math.max(eventIds.length, 1)] ?? 'x.y.z' }),
          delete: () => send('DELETE', { 'mcp-session-id': session }),
          release: () => core.release(),
          wait: nextTurn,
        }
        await actions[action]?.()
        if (pick > 1) await nextTurn()
      }
      await nextTurn()
      await handler.close(0)
      await nextTurn()
      await nextTurn()
      expect(statuses.filter((status) => status >= 500 && status !== 503)).toEqual([])
      expect([core.running, core.subscriptions, errors]).toEqual([0, 0, []])
      for (const key of keys) expect(await eventLog.read(key)).toEqual([])
    }),
    { numRuns: 60 },
  )
})
