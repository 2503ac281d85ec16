import { expect, test } from 'vitest'
import { printed, server, tidyUp } from '../../examples/tasks.ts'
import { bind, resume, start } from '../../examples/tasks-client.ts'

test('tasks-client', async () => {
  const shown: string[] = []
  expect(await bind(server, (message) => shown.push(message))).toContain('Bound in red')
  expect(shown).toEqual(['Folded'])
  const taskId = await start(server)
  expect(await resume(server, taskId as string)).toContain('Printed 3 pages')
  expect(printed).toEqual(['fold', 'cover', 'contents', 'index'])
})

test('tasks-client, when the server has stopped', async () => {
  await tidyUp('nobody')
  expect(await start(server)).toBeUndefined()
  await expect(bind(server, () => {})).rejects.toThrow('shutting down')
})
