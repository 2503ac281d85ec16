/** Each operation in each revision, over HTTP and over stdio. */
import { describe, expect, test } from 'vitest'
import { CASES, type Case, openCase } from './support/cases.ts'
import { serveFixture } from './support/fixture-server.ts'
import { startInspector, type TestInspector } from './support/inspector.ts'

const open = (one: Case): Promise<{ inspector: TestInspector; id: string }> =>
  openCase(one, { logLevel: 'debug', roots: [{ uri: 'file:///work' }] })

describe.each(CASES)('$revision over $transport', (one) => {
  test('lists, calls, reads, renders and completes', async () => {
    const { inspector, id } = await open(one)
    const added = await inspector.operate(id, { type: 'call-tool', name: 'add', arguments: { a: 1, b: 2 } })
    expect(added).toMatchObject({ status: 'done', result: { content: [{ type: 'text', text: '3' }] } })
    expect(added.progress).toMatchObject({ progress: 1, total: 2 })
    const read = await inspector.operate(id, { type: 'read-resource', uri: 'text://hello' })
    expect(read.result).toMatchObject({ contents: [{ text: 'hello' }] })
    const prompt = await inspector.operate(id, { type: 'get-prompt', name: 'greet', arguments: { name: 'Ada' } })
    expect(prompt.result).toMatchObject({ messages: [{ content: { text: 'Greet Ada' } }] })
    const ref = { type: 'ref/prompt', name: 'greet' } as const
    const completed = await inspector.operate(id, { type: 'complete', ref, argument: { name: 'name', value: 'A' } })
    expect(completed.result).toMatchObject({ values: ['Ada', 'Alan'] })
    const raw = await inspector.operate(id, { type: 'request', method: 'tools/list' })
    expect(raw.result?.tools).toHaveLength(8)
    const failed = await inspector.operate(id, { type: 'request', method: 'no/such' })
    expect(failed).toMatchObject({ status: 'failed', failure: { rpcCode: -32601 } })
    const { inventories } = await inspector.command('get-state', {})
    expect(inventories.filter(({ serverId }) => serverId === id).map(({ kind, items }) => [kind, items.length])).toEqual(
      expect.arrayContaining([
        ['tools', 8],
        ['resources', 1],
        ['prompts', 1],
      ]),
    )
    const entries = await inspector.entries()
    expect(entries.flatMap((entry) => ('violations' in entry ? (entry.violations ?? []) : []))).toEqual([])
    expect(entries.some((entry) => entry.type === 'log')).toBe(true)
    const request = entries.find((entry) => entry.type === 'message' && entry.subject === 'add' && entry.direction === 'out')
    expect(request).toMatchObject({ operationId: added.id, state: 'answered', durationMs: expect.any(Number) })
  })

  test('cancelling an operation shows on the wire', async () => {
    const { inspector, id } = await open(one)
    const { operationId } = await inspector.command('operate', {
      serverId: id,
      request: { type: 'call-tool', name: 'hang', arguments: {} },
    })
    await expect.poll(async () => (await inspector.entries()).some((entry) => entry.operationId === operationId)).toBe(true)
    await inspector.command('cancel-operation', { operationId })
    expect((await inspector.command('wait-operation', { operationId })).operation.status).toBe('cancelled')
    const isVisible = async (): Promise<boolean> =>
      (await inspector.entries()).some(
        (entry) =>
          (entry.type === 'message' && entry.method === 'notifications/cancelled' && entry.direction === 'out') ||
          (entry.type === 'http' && entry.state === 'cancelled'),
      )
    await expect.poll(isVisible).toBe(true)
    const call = (await inspector.entries()).find((entry) => entry.type === 'message' && entry.subject === 'hang')
    expect(call).toMatchObject({ state: 'cancelled' })
  })
})

/** Elicitation exists since 2025-06-18; the other input requests in all revisions. */
const ASKING = CASES.filter(({ revision }) => revision >= '2025-06-18')

describe.each(ASKING)('questions in $revision over $transport', (one) => {
  test('the user answers a form, also two at once, and declines another', async () => {
    const { inspector, id } = await open(one)
    const request = { type: 'call-tool', name: 'ask', arguments: {} } as const
    const started = await Promise.all([1, 2].map(() => inspector.command('operate', { serverId: id, request })))
    const openQuestions = async () =>
      (await inspector.command('get-state', {})).questions.filter(({ status }) => status === 'open')
    await expect.poll(async () => (await openQuestions()).length).toBe(2)
    for (const [index, question] of (await openQuestions()).entries()) {
      expect(question.request).toMatchObject({ kind: 'form', message: 'Who?' })
      await inspector.command('answer-question', {
        questionId: question.id,
        answer: { action: 'accept', content: { who: `user ${index}` } },
      })
    }
    const ended = await Promise.all(started.map(({ operationId }) => inspector.command('wait-operation', { operationId })))
    expect(ended.map(({ operation }) => JSON.stringify(operation.result)).sort()).toEqual([
      expect.stringContaining('user 0'),
      expect.stringContaining('user 1'),
    ])
    const { operationId } = await inspector.command('operate', { serverId: id, request })
    await expect.poll(async () => (await openQuestions()).length).toBe(1)
    const [question] = await openQuestions()
    expect(question?.operationId).toBe(operationId)
    await inspector.command('answer-question', { questionId: question?.id ?? '', answer: { action: 'decline' } })
    const late = await inspector.command('answer-question', { questionId: question?.id ?? '', answer: { action: 'cancel' } })
    expect(late.late).toContain('no effect')
    expect((await inspector.command('wait-operation', { operationId })).operation.status).toBe('done')
  })

  test('a saved answer is given without a question, sampling is answered by hand, and roots are read', async () => {
    const { inspector, id } = await open(one)
    const answer = { action: 'accept', content: { who: 'saved' } } as const
    await inspector.command('save-answer', { answer: { kind: 'form', answer, automatic: true } })
    const asked = await inspector.operate(id, { type: 'call-tool', name: 'ask', arguments: {} })
    expect(JSON.stringify(asked.result)).toContain('saved')
    const request = { type: 'call-tool', name: 'sample', arguments: {} } as const
    const { operationId } = await inspector.command('operate', { serverId: id, request })
    const sampling = async () =>
      (await inspector.command('get-state', {})).questions.find(
        ({ status, request: asks }) => status === 'open' && asks.kind === 'sampling',
      )
    await expect.poll(sampling).toBeDefined()
    const question = await sampling()
    const content = { role: 'assistant', content: { type: 'text', text: 'Hello!' }, model: 'me' }
    await inspector.command('answer-question', { questionId: question?.id ?? '', answer: { action: 'accept', content } })
    expect(JSON.stringify((await inspector.command('wait-operation', { operationId })).operation.result)).toContain('Hello!')
    await inspector.command('set-roots', { serverId: id, roots: [{ uri: 'file:///edited' }] })
    const roots = await inspector.operate(id, { type: 'call-tool', name: 'roots', arguments: {} })
    expect(JSON.stringify(roots.result)).toContain('file:///edited')
  })

  test('a change of the list reaches the page', async () => {
    const { inspector, id } = await open(one)
    const tools = async () =>
      (await inspector.command('get-state', {})).inventories.find(({ serverId, kind }) => serverId === id && kind === 'tools')
    await expect.poll(async () => (await tools())?.status).toBe('ready')
    await inspector.operate(id, { type: 'call-tool', name: 'grow', arguments: {} })
    await expect.poll(async () => (await tools())?.changed?.added).toEqual(['grown'])
  })
})

test('a request is repeated with a limit and its durations are counted', async () => {
  const inspector = await startInspector()
  const { id } = await inspector.connect({ kind: 'url', url: await serveFixture() })
  const repeat = { count: 20, concurrency: 4 }
  const operation = await inspector.operate(id, { type: 'call-tool', name: 'add', arguments: { a: 1, b: 1 } }, { repeat })
  expect(operation.repeated).toMatchObject({ succeeded: 20, failed: 0, p50Ms: expect.any(Number) })
  await expect(
    inspector.command('operate', { serverId: id, request: { type: 'discover' }, options: { repeat: { count: 1e6 } } }),
  ).rejects.toMatchObject({ code: 'INVALID_PARAMS' })
})

test('structured content is checked against its schema, and shown even if it does not match', async () => {
  const inspector = await startInspector()
  const { id } = await inspector.connect({ kind: 'url', url: await serveFixture() })
  const numbers = await inspector.operate(id, { type: 'call-tool', name: 'numbers', arguments: {} })
  expect(numbers).toMatchObject({ status: 'done', issues: [], result: { structuredContent: [1, 2, 3] } })
})

test('a tool that fails is no failure of the transport', async () => {
  const inspector = await startInspector()
  const { id } = await inspector.connect({ kind: 'url', url: await serveFixture() })
  const failed = await inspector.operate(id, { type: 'call-tool', name: 'fail', arguments: {} })
  expect(failed).toMatchObject({ status: 'done', result: { isError: true } })
})
