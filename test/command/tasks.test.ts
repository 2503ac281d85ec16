import { type ListeningServer, serve } from 'portcall/node'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { portcall } from './support/portcall.ts'

let listening: ListeningServer
beforeAll(async () => {
  const { server } = await import('./fixtures/demo.mjs')
  listening = await serve(server, { port: 0, handleProcessSignals: false })
})
afterAll(() => listening.close())

describe.each(['2025-11-25', '2026-07-28'])('tasks, %s', (version) => {
  const run = (...words: string[]): ReturnType<typeof portcall> =>
    portcall(['tasks', listening.url, ...words, '--protocol-version', version])
  const start = async (): Promise<string> => {
    const { code, out } = await run('start', 'bind', 'name=Emma')
    expect(code).toBe(0)
    return out.trim()
  }

  test('start, get, answer and result', async () => {
    const id = await start()
    const asking = await run('get', id)
    expect(asking).toMatchObject({ code: 0, out: `${id}  input_required\n    input required: Which color?\n` })
    expect(await run('answer', id, '--answer', 'color=red')).toMatchObject({ code: 0, out: '' })
    expect(await run('result', id)).toMatchObject({ code: 0, out: 'Emma, bound in red\n' })
    expect(await run('get', id)).toMatchObject({ code: 0, out: `${id}  completed\nEmma, bound in red\n` })
    expect((await run('answer', id)).err).toContain('requires no input')
  })

  test('result handles input requests; a call waits too', async () => {
    expect(await run('result', await start(), '-a', 'color=blue')).toMatchObject({ code: 0, out: 'Emma, bound in blue\n' })
    const called = await portcall([
      'call',
      listening.url,
      'bind',
      'name=Dune',
      '-a',
      'color=green',
      '--protocol-version',
      version,
    ])
    expect(called).toMatchObject({ code: 0, out: 'Dune, bound in green\n' })
  })

  test('cancel; an unknown task is rejected', async () => {
    const id = await start()
    expect(await run('cancel', id)).toMatchObject({ code: 0, out: '' })
    expect(JSON.parse((await run('get', id, '--json')).out)).toMatchObject({ taskId: id, status: 'cancelled' })
    expect(await run('result', id)).toMatchObject({ code: 3, out: '' })
    expect(await run('get', 'nothing')).toMatchObject({ code: 3, err: expect.stringContaining('-32602') })
  })

  test('a tool without a task returns its result; not every server lists tasks', async () => {
    expect(await run('start', 'greet', 'name=Ada')).toMatchObject({ code: 0, out: 'Hello, Ada!\n' })
    expect(await run()).toMatchObject({ code: 3, err: expect.stringContaining('does not support listing tasks') })
    expect(await run('stat', 'greet')).toMatchObject({ code: 2, err: expect.stringContaining('did you mean start') })
    expect(await run('get')).toMatchObject({ code: 2, err: expect.stringContaining('ID of a task') })
  })
})
