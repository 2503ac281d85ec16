/** Handlers that throw or return invalid values: the caller receives a response without details, and other callers are not affected. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { RETURNED, THROWN } from './server/faulty-handlers.ts'
import { type HttpServer, modern, type Session, startHttp, testHttp } from './support/http.ts'
import { logLevel, modernRequest, type Params, type Reply, request, textOf, tool } from './support/messages.ts'
import { type StdioServer, startStdio, testStdio } from './support/stdio.ts'
import { sleep } from './support/time.ts'

/** One interface to the three kinds of connections. */
interface ConnectionKind {
  name: string
  ask(method: string, params: Params): Promise<Reply | undefined>
  healthy(): Promise<void>
}

let http: HttpServer
let session: Session
let stdio: StdioServer
beforeAll(async () => {
  http = await startHttp({ faultyHandlers: true })
  session = await http.session()
  stdio = startStdio({ faultyHandlers: true })
  await stdio.healthy()
})
beforeEach(() => {
  if (stdio.child.exitCode !== null) stdio = startStdio({ faultyHandlers: true })
})
afterAll(() => {
  http.kill()
  stdio.kill()
})

const connections: readonly ConnectionKind[] = [
  {
    name: 'modern',
    ask: async (method, params) => (await http.send(modern(method, params))).json,
    healthy: () => http.healthy(),
  },
  {
    name: 'a session',
    ask: async (method, params) => (await session.ask(request(method, params))).json,
    healthy: () => http.healthy(),
  },
  { name: 'stdio', ask: (method, params) => stdio.ask(modernRequest(method, params)), healthy: () => stdio.healthy() },
]

function expectHidden(reply: Reply | undefined): void {
  expect(reply).toBeDefined()
  expect(reply?.error !== undefined || reply?.result?.isError === true).toBe(true)
  expect(JSON.stringify(reply)).not.toMatch(/CANARY|\.ts|\.mjs/)
}

describe.each(connections)('in $name', ({ ask, healthy }) => {
  test.each(Object.keys(THROWN))('H42: a handler throws a %s', async (kind) => {
    expectHidden(await ask('tools/call', tool('throw', { kind })))
    expectHidden(await ask('tools/call', tool('reject', { kind })))
    expectHidden(await ask('resources/read', { uri: `faulty://${encodeURIComponent(kind)}` }))
    expectHidden(await ask('prompts/get', { name: 'faulty', arguments: { kind } }))
    expectHidden(
      await ask('completion/complete', { ref: { type: 'ref/prompt', name: 'faulty' }, argument: { name: 'kind', value: kind } }),
    )
    await healthy()
  })

  test.each(Object.keys(RETURNED))('H42: a handler returns a %s', async (kind) => {
    expectHidden(await ask('tools/call', tool('return', { kind })))
    await healthy()
  })

  test.each(['big integer', 'circular result', 'object with a throwing toJSON'])('H42: a handler logs a %s', async (kind) => {
    const reply = await ask('tools/call', tool('log-faulty', { kind }, logLevel))
    if (textOf(reply) !== 'logged') expectHidden(reply)
    await healthy()
  })

  test('H42: a `visible` function throws', async () => {
    expectHidden(await ask('tools/call', tool('invisible')))
    const list = await ask('tools/list', {})
    expect(JSON.stringify(list)).not.toMatch(/CANARY|\.ts/)
    await healthy()
  })

  test('a tool that times out is answered, and a later exception is harmless', async () => {
    const reply = await ask('tools/call', tool('too-slow'))
    expect(reply).toMatchObject({ result: { isError: true } })
    await sleep(400)
    await healthy()
  })
})

test('progress that is not a number or does not increase is not sent', async () => {
  const from = stdio.messages.length
  await stdio.ask(modernRequest('tools/call', tool('progress-faulty', {}, { progressToken: 'faulty' })))
  const sent = stdio.messages.slice(from).filter(({ method }) => method === 'notifications/progress')
  expect(sent.map(({ params }) => params?.progress)).toEqual([1, 2])
  for (const { params } of sent) expect(params?.total ?? 0).toEqual(expect.any(Number))
  await stdio.healthy()
})

test('an event listener that throws does not prevent the response', async () => {
  const deafHttp = await testHttp({ throwingEventListener: true })
  expectHidden((await deafHttp.call('secret')).json)
  expectHidden((await (await deafHttp.session()).ask(request('tools/call', tool('secret-later')))).json)
  await deafHttp.healthy()
  const deafStdio = testStdio({ throwingEventListener: true })
  expectHidden(await deafStdio.call('secret'))
  expectHidden(await deafStdio.call('secret-later'))
  await deafStdio.healthy()
})
