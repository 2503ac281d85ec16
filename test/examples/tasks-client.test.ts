import { expect, test } from 'vitest'
import { printed, server as printer } from '../../examples/tasks.ts'
import { bind, resume, start } from '../../examples/tasks-client.ts'
import { server as bindery, done } from '../../examples/tasks-input.ts'

test('a call that waits for its task, and answers its input request', async () => {
  const shown: string[] = []
  expect(await bind(bindery, (message) => shown.push(message))).toMatchObject([{ text: 'Bound in red' }])
  expect(shown).toEqual(['Folded'])
  expect(done).toEqual(['fold'])
})

test('a task that is started, and awaited over another connection', async () => {
  const taskId = await start(printer)
  expect(taskId).toEqual(expect.any(String))
  expect(await resume(printer, taskId as string)).toMatchObject([{ text: 'Printed 3 pages' }])
  expect(printed).toEqual(['cover', 'contents', 'index'])
})
