/** Modified, forged and stolen `requestState`. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import type { Answer } from './support/connection.ts'
import { type HttpServer, modern, startHttp, testHttp } from './support/http.ts'
import { type Params, textOf, tool } from './support/messages.ts'
import { MIB, sleep } from './support/time.ts'

const KEY = 'A'.repeat(43)
const OTHER_KEY = `${'A'.repeat(41)}BA`

let server: HttpServer
beforeAll(async () => void (server = await startHttp()))
afterAll(() => server.kill())

const answers = { 'elicit-1': { action: 'accept', content: { name: 'Alice' } } }
const ask = tool('ask', { topic: 'names' })

/** Calls the tool that requires input and returns the `requestState` of its result. */
async function requestStateOf(from: HttpServer = server, params: Params = ask, fields = {}): Promise<string> {
  const { json } = await from.send(modern('tools/call', params, fields))
  expect(json).toMatchObject({ result: { resultType: 'input_required', inputRequests: { 'elicit-1': {} } } })
  return json!.result!.requestState as string
}

function retry(requestState: unknown, to: HttpServer = server, params: Params = ask, fields = {}): Promise<Answer> {
  return to.send(modern('tools/call', { ...params, inputResponses: answers, requestState }, fields))
}

async function expectRejected(answer: Answer): Promise<void> {
  expect(answer.json).toMatchObject({ error: { code: -32602 } })
  expect(answer.json).not.toHaveProperty('result')
  expect(answer.body).not.toContain('CANARY')
  await server.healthy()
}

test('M09: an unchanged state is accepted, and discloses nothing to the client', async () => {
  const state = await requestStateOf()
  expect(state).not.toMatch(/CANARY|secret|names/)
  expect(Buffer.from(state, 'base64url').toString('latin1')).not.toMatch(/CANARY|secret|names/)
  expect(textOf((await retry(state)).json)).toBe('names: Alice')
  await server.healthy()
})

test('M09: a state with any one character changed is rejected', async () => {
  const state = await requestStateOf()
  for (let at = 0; at < state.length - 1; at += 7) {
    const changed = state.slice(0, at) + (state[at] === 'A' ? 'B' : 'A') + state.slice(at + 1)
    expect((await retry(changed)).json).toMatchObject({ error: { code: -32602 } })
  }
  await server.healthy()
})

test('M09: only the canonical encoding of a state is accepted', async () => {
  const state = await requestStateOf()
  for (const changed of [`${state}=`, `${state}==`, ` ${state}`, `${state}\n`, `${state}!`])
    expect((await retry(changed)).json).toMatchObject({ error: { code: -32602 } })
  await server.healthy()
})

describe('M09', () => {
  test.each<[string, (state: string) => unknown]>([
    ['truncated at the end', (state) => state.slice(0, -4)],
    ['truncated at the start', (state) => state.slice(4)],
    ['half', (state) => state.slice(0, state.length / 2)],
    ['empty', () => ''],
    ['twice', (state) => state + state],
    ['something else', () => 'bogus'],
    ['a forged handle', (state) => `state-handle.${state}`],
    ['1 MB of it', (state) => state.repeat(MIB / state.length)],
    ['1 MB of letters', () => 'A'.repeat(MIB)],
    ['unsealed JSON', () => JSON.stringify({ roundTrips: 1, inputResponses: {}, steps: {}, inputRequests: {} })],
    ['a number', () => 42],
    ['an object', () => ({})],
    ['null', () => null],
    ['__proto__', () => '__proto__'],
  ])('%s is rejected', async (_, change) => {
    await expectRejected(await retry(change(await requestStateOf())))
  })

  test('the state of other arguments and of another tool is rejected', async () => {
    const state = await requestStateOf()
    await expectRejected(await retry(state, server, tool('ask', { topic: 'money' })))
    await expectRejected(await retry(state, server, tool('ask')))
    await expectRejected(await retry(state, server, tool('ask-again')))
  })

  test('the state of another method is rejected', async () => {
    const state = await requestStateOf()
    const answer = await server.send(modern('prompts/get', { name: 'greet', arguments: { name: 'x' }, requestState: state }))
    await expectRejected(answer)
  })

  test('the state of a server with other keys is rejected, that of a server with the same keys is accepted', async () => {
    const [one, two, other] = [
      await testHttp({ keys: [KEY] }),
      await testHttp({ keys: [OTHER_KEY, KEY] }),
      await testHttp({ keys: [OTHER_KEY] }),
    ]
    const state = await requestStateOf(one)
    expect(textOf((await retry(state, two)).json)).toBe('names: Alice')
    await expectRejected(await retry(state, other))
    await expectRejected(await retry(state))
    await other.healthy()
  })

  test('an expired state is rejected', async () => {
    const brief = await testHttp({ limits: { requestStateTtlMs: 200 } })
    const state = await requestStateOf(brief)
    await sleep(300)
    await expectRejected(await retry(state, brief))
    await eventually(async () => {
      const fresh = await requestStateOf(brief)
      expect(textOf((await retry(fresh, brief)).json)).toBe('names: Alice')
    })
  })

  test('the state of another caller is rejected', async () => {
    const shared = await testHttp({ users: true })
    const state = await requestStateOf(shared, ask, { 'x-user': 'victim' })
    await expectRejected(await retry(state, shared, ask, { 'x-user': 'thief' }))
    await expectRejected(await retry(state, shared))
    expect(textOf((await retry(state, shared, ask, { 'x-user': 'victim' })).json)).toBe('names: Alice')
  })

  test('a state too large for the wire is stored, and available only to its owner', async () => {
    const small = await testHttp({ users: true, limits: { maxInlineRequestStateBytes: 10 } })
    const state = await requestStateOf(small, ask, { 'x-user': 'victim' })
    await expectRejected(await retry(state, small, ask, { 'x-user': 'thief' }))
    await expectRejected(await retry(`${state.slice(0, -6)}AAAAAA`, small, ask, { 'x-user': 'victim' }))
    expect(textOf((await retry(state, small, ask, { 'x-user': 'victim' })).json)).toBe('names: Alice')
  })

  test.each<[string, unknown]>([
    ['a text', 'x'],
    ['a list', []],
    ['null', null],
    ['a response that is a string', { 'elicit-1': 'x' }],
    ['responses to unknown requests', { __proto__: null, constructor: { action: 'accept', content: { name: 'x' } } }],
    ['an invalid response', { 'elicit-1': { action: 'accept', content: { name: 42 } } }],
    ['a response without content', { 'elicit-1': { action: 'accept' } }],
    ['an unknown action', { 'elicit-1': { action: 'maybe', content: { name: 'x' } } }],
  ])('input responses that are %s end in an error or in the same input request', async (_, inputResponses) => {
    const requestState = await requestStateOf()
    const { json } = await server.send(modern('tools/call', { ...ask, inputResponses, requestState }))
    if (json?.result) expect(json.result.resultType === 'input_required' || json.result.isError).toBe(true)
    else expect(json).toMatchObject({ error: { code: -32602 } })
    await server.healthy()
  })

  test('a cursor is sealed too', async () => {
    for (const cursor of ['bogus', '', '0', 'A'.repeat(MIB), 42, {}, '__proto__', await requestStateOf()])
      for (const method of ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list'])
        expect((await server.send(modern(method, { cursor }))).json).toMatchObject({ error: { code: -32602 } })
    await server.healthy()
  })
})
