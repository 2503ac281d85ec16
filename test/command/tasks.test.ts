import { type Serving, serve } from 'portcall/node'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { portcall } from './support/portcall.ts'

let serving: Serving
beforeAll(async () => {
  const { server } = await import('./fixtures/demo.mjs')
  serving = await serve(server, { port: 0, signals: false })
})
afterAll(() => serving.close())

describe.each(['2025-11-25', '2026-07-28'])('tasks, %s', (revision) => {
  const run = (...words: string[]): ReturnType<typeof portcall> =>
    portcall(['tasks', serving.url, ...words, '--revision', revision])
  const begin = async (): Promise<string> => {
    const { code, out } = await run('start', 'bind', 'name=Emma')
    expect(code).toBe(0)
    return out.trim()
  }

  test('one is begun, looked at, answered, and its result is taken', async () => {
    const id = await begin()
    const asking = await run('get', id)
    expect(asking).toMatchObject({ code: 0, out: `${id}  input_required\n    asks: Which colour?\n` })
    expect(await run('answer', id, '--answer', 'color=red')).toMatchObject({ code: 0, out: '' })
    expect(await run('result', id)).toMatchObject({ code: 0, out: 'Emma, bound in red\n' })
    expect(await run('get', id)).toMatchObject({ code: 0, out: `${id}  completed\nEmma, bound in red\n` })
    expect((await run('answer', id)).err).toContain('asks nothing')
  })

  test('whoever waits answers what it asks; a call waits too', async () => {
    expect(await run('result', await begin(), '-a', 'color=blue')).toMatchObject({ code: 0, out: 'Emma, bound in blue\n' })
    const called = await portcall(['call', serving.url, 'bind', 'name=Dune', '-a', 'color=green', '--revision', revision])
    expect(called).toMatchObject({ code: 0, out: 'Dune, bound in green\n' })
  })

  test('one is cancelled; one that is not there is refused', async () => {
    const id = await begin()
    expect(await run('cancel', id)).toMatchObject({ code: 0, out: '' })
    expect(JSON.parse((await run('get', id, '--json')).out)).toMatchObject({ taskId: id, status: 'cancelled' })
    expect(await run('result', id)).toMatchObject({ code: 3, out: '' })
    expect(await run('get', 'nothing')).toMatchObject({ code: 3, err: expect.stringContaining('-32602') })
  })

  test('a tool that is no task is answered at once; lists are only where there are any', async () => {
    expect(await run('start', 'greet', 'name=Ada')).toMatchObject({ code: 0, out: 'Hello, Ada!\n' })
    expect(await run()).toMatchObject({ code: 3, err: expect.stringContaining('does not list tasks') })
    expect(await run('stat', 'greet')).toMatchObject({ code: 2, err: expect.stringContaining('did you mean start') })
    expect(await run('get')).toMatchObject({ code: 2, err: expect.stringContaining('id of a task') })
  })
})
