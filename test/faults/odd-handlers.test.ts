/** Handlers that throw or return what they should not: their caller is answered, hears nothing of it, and nobody else notices. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { RETURNED, THROWN } from './server/odd.ts'
import { type HttpServer, modern, type Session, startHttp, testHttp } from './support/http.ts'
import { logLevel, modernRequest, type Params, type Reply, request, textOf, tool } from './support/messages.ts'
import { type StdioServer, startStdio, testStdio } from './support/stdio.ts'
import { sleep } from './support/time.ts'

/** The three ways to ask, with the same question. */
interface Way {
  name: string
  ask(method: string, params: Params): Promise<Reply | undefined>
  healthy(): Promise<void>
}

let http: HttpServer
let session: Session
let stdio: StdioServer
beforeAll(async () => {
  http = await startHttp({ odd: true })
  session = await http.session()
  stdio = startStdio({ odd: true })
  await stdio.healthy()
})
beforeEach(() => {
  if (stdio.child.exitCode !== null) stdio = startStdio({ odd: true })
})
afterAll(() => {
  http.kill()
  stdio.kill()
})

const ways: readonly Way[] = [
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

describe.each(ways)('in $name', ({ ask, healthy }) => {
  test.each(Object.keys(THROWN))('H42: what is thrown is a %s', async (kind) => {
    expectHidden(await ask('tools/call', tool('throw', { kind })))
    expectHidden(await ask('tools/call', tool('reject', { kind })))
    expectHidden(await ask('resources/read', { uri: `odd://${encodeURIComponent(kind)}` }))
    expectHidden(await ask('prompts/get', { name: 'odd', arguments: { kind } }))
    expectHidden(
      await ask('completion/complete', { ref: { type: 'ref/prompt', name: 'odd' }, argument: { name: 'kind', value: kind } }),
    )
    await healthy()
  })

  test.each(Object.keys(RETURNED))('H42: what is returned is a %s', async (kind) => {
    expectHidden(await ask('tools/call', tool('return', { kind })))
    await healthy()
  })

  test.each(['big integer', 'circular result', 'object that cannot be written'])('H42: what is logged is a %s', async (kind) => {
    const reply = await ask('tools/call', tool('log-odd', { kind }, logLevel))
    if (textOf(reply) !== 'logged') expectHidden(reply)
    await healthy()
  })

  test('H42: who may see a tool cannot be told', async () => {
    expectHidden(await ask('tools/call', tool('invisible')))
    const list = await ask('tools/list', {})
    expect(JSON.stringify(list)).not.toMatch(/CANARY|\.ts/)
    await healthy()
  })

  test('a tool whose time is up is answered, and what it throws later harms nobody', async () => {
    const reply = await ask('tools/call', tool('too-slow'))
    expect(reply).toMatchObject({ result: { isError: true } })
    await sleep(400)
    await healthy()
  })
})

test('progress that is no number, or does not grow, is not sent', async () => {
  const from = stdio.messages.length
  await stdio.ask(modernRequest('tools/call', tool('progress-odd', {}, { progressToken: 'odd' })))
  const sent = stdio.messages.slice(from).filter(({ method }) => method === 'notifications/progress')
  expect(sent.map(({ params }) => params?.progress)).toEqual([1, 2])
  for (const { params } of sent) expect(params?.total ?? 0).toEqual(expect.any(Number))
  await stdio.healthy()
})

test('a listener for events that throws takes no answer away', async () => {
  const deafHttp = await testHttp({ deaf: true })
  expectHidden((await deafHttp.call('secret')).json)
  expectHidden((await (await deafHttp.session()).ask(request('tools/call', tool('secret-later')))).json)
  await deafHttp.healthy()
  const deafStdio = testStdio({ deaf: true })
  expectHidden(await deafStdio.call('secret'))
  expectHidden(await deafStdio.call('secret-later'))
  await deafStdio.healthy()
})
