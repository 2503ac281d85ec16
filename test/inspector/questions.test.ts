/** Which call a question belongs to, where the wire does not say it. */
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { startInspector } from './support/inspector.ts'

const PROGRAM = fileURLToPath(new URL('./fixtures/asking.mjs', import.meta.url))

test('two questions of a program that arrive together belong to the two calls, in the timeline and in their operations', async () => {
  const inspector = await startInspector()
  const { id } = await inspector.connect({ kind: 'program', command: process.execPath, args: [PROGRAM] })
  await inspector.command('operate', { serverId: id, request: { type: 'call-tool', name: 'hang', arguments: {} } })
  // The call that hangs is not one of those that are sent together.
  await new Promise((resolve) => setTimeout(resolve, 150))
  const calls = ['first', 'second'].map((tag) =>
    inspector.command('operate', { serverId: id, request: { type: 'call-tool', name: 'ask', arguments: { tag } } }),
  )
  const [first, second] = (await Promise.all(calls)).map(({ operationId }) => operationId)
  const questions = async () => (await inspector.command('get-state', {})).questions
  await expect.poll(async () => (await questions()).length).toBe(2)
  const asked = await questions()
  expect(asked.map(({ operationId, request }) => ['message' in request && request.message, operationId])).toEqual([
    ['For first?', first],
    ['For second?', second],
  ])
  const entries = new Map((await inspector.entries()).map((entry) => [entry.id, entry]))
  for (const { entryId = 0, operationId } of asked) {
    const entry = entries.get(entryId)
    expect(entry).toMatchObject({ method: 'elicitation/create', operationId })
    expect(entry?.type === 'message' && entries.get(entry.parentId ?? 0)).toMatchObject({ method: 'tools/call', operationId })
  }
  expect(new Set(asked.map(({ entryId }) => entryId)).size).toBe(2)
  for (const [index, { id: questionId }] of [...asked].reverse().entries())
    await inspector.command('answer-question', { questionId, answer: { action: 'accept', content: { word: `word ${index}` } } })
  const texts = await Promise.all(
    [first, second].map(async (operationId) => {
      const { operation } = await inspector.command('wait-operation', { operationId: operationId ?? '' })
      return operation.result?.content
    }),
  )
  expect(texts).toEqual([[{ type: 'text', text: 'first: word 1' }], [{ type: 'text', text: 'second: word 0' }]])
})
