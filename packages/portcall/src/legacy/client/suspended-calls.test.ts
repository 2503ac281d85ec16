import { describe, expect, test } from 'vitest'
import { onAbort } from '../../../../util/src/abort.ts'
import type { ExchangeContext } from '../../jsonrpc/exchange.ts'
import type { Request, Response } from '../../jsonrpc/message.ts'
import { createSuspendedCalls, type SuspendedCallsOptions } from './suspended-calls.ts'

const MAX_SUSPENDED = 1000
const MAX_SUSPENDED_PER_CALLER = 500
const META = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } }

/** Calls of a server that asks in each of them, and answers with the response. */
function createCalls(options: Partial<SuspendedCallsOptions> = {}) {
  const ended: unknown[] = []
  const forward = async (request: Request, context: ExchangeContext): Promise<Response> => {
    onAbort(context, () => ended.push(request.id))
    const input = { method: 'elicitation/create', params: { message: 'Name?', requestedSchema: {} } } as const
    const result = await calls.accept(input as never, context.signal, context as never)
    return { jsonrpc: '2.0', id: request.id, result }
  }
  const calls = createSuspendedCalls({
    capabilities: { elicitation: { form: {} } },
    attributesRequests: true,
    forward,
    ...options,
  })
  const call = (id: number, principal: string, params = {}): Promise<any> =>
    calls.exchange(
      { jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'ask', ...params, _meta: META } },
      { signal: new AbortController().signal, notify() {}, auth: { principal } },
    )
  const answer = (id: number, principal: string, { result }: any): Promise<any> =>
    call(id, principal, { requestState: result.requestState, inputResponses: { 'input-1': { action: 'decline' } } })
  return { ended, call, answer, close: () => calls.close(new Error('closed')) }
}

const EXPIRED = { error: { code: -32602 } }

test('the oldest call that waits ends when too many do, and a new one can wait', async () => {
  const { ended, call, answer, close } = createCalls()
  const waiting: any[] = []
  for (let id = 0; id < MAX_SUSPENDED; id += 100)
    waiting.push(...(await Promise.all(Array.from({ length: 100 }, (_, at) => call(id + at, `user ${id + at}`)))))
  expect(ended).toEqual([])
  const last = await call(MAX_SUSPENDED, 'one more')
  expect(ended).toEqual([0])
  expect(await answer(0, 'user 0', waiting[0])).toMatchObject(EXPIRED)
  expect(await answer(1, 'user 1', waiting[1])).toMatchObject({ result: { action: 'decline' } })
  expect(await answer(MAX_SUSPENDED, 'one more', last)).toMatchObject({ result: { action: 'decline' } })
  close()
})

test('a caller with too many waiting calls ends its own', async () => {
  const { ended, call, answer, close } = createCalls()
  const other = await call(-1, 'ada')
  for (let id = 0; id < MAX_SUSPENDED_PER_CALLER; id += 100)
    await Promise.all(Array.from({ length: 100 }, (_, at) => call(id + at, 'eve')))
  expect(ended).toEqual([])
  await call(MAX_SUSPENDED_PER_CALLER, 'eve')
  expect(ended).toEqual([0])
  expect(await answer(-1, 'ada', other)).toMatchObject({ result: { action: 'decline' } })
  close()
})

describe('while a server that does not say whom it asks waits for one caller', () => {
  test('others get an error that says so, and can call when the question is answered', async () => {
    const { call, answer, close } = createCalls({ attributesRequests: false, othersWaitTimeoutMs: 50 })
    const asked = await call(1, 'ada')
    const error = { code: -32603, message: expect.stringContaining('until another caller has answered its question') as string }
    expect(await call(2, 'eve')).toMatchObject({ error })
    expect(await call(3, 'eve')).toMatchObject({ error })
    const own = await call(4, 'ada')
    expect(own).toMatchObject({ result: { resultType: 'input_required' } })
    for (const [id, question] of [asked, own].entries())
      expect(await answer(5 + id, 'ada', question)).toMatchObject({ result: { action: 'decline' } })
    expect(await call(7, 'eve')).toMatchObject({ result: { resultType: 'input_required' } })
    close()
  })

  test('others wait for an answer that comes in time', async () => {
    const { call, answer, close } = createCalls({ attributesRequests: false, othersWaitTimeoutMs: 3_600_000 })
    const asked = await call(1, 'ada')
    const waiting = call(2, 'eve')
    await answer(3, 'ada', asked)
    expect(await waiting).toMatchObject({ result: { resultType: 'input_required' } })
    close()
  })
})
