/** `requestState` that does not come back as it was given. */
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

/** Calls the asking tool and gives the state that it was sent away with. */
async function stateOf(from: HttpServer = server, params: Params = ask, fields = {}): Promise<string> {
  const { json } = await from.send(modern('tools/call', params, fields))
  expect(json).toMatchObject({ result: { resultType: 'input_required', inputRequests: { 'elicit-1': {} } } })
  return json!.result!.requestState as string
}

function comeBack(requestState: unknown, to: HttpServer = server, params: Params = ask, fields = {}): Promise<Answer> {
  return to.send(modern('tools/call', { ...params, inputResponses: answers, requestState }, fields))
}

async function expectRefused(answer: Answer): Promise<void> {
  expect(answer.json).toMatchObject({ error: { code: -32602 } })
  expect(answer.json).not.toHaveProperty('result')
  expect(answer.body).not.toContain('CANARY')
  await server.healthy()
}

test('M09: a state that comes back as it was is taken, and tells its bearer nothing', async () => {
  const state = await stateOf()
  expect(state).not.toMatch(/CANARY|secret|names/)
  expect(Buffer.from(state, 'base64url').toString('latin1')).not.toMatch(/CANARY|secret|names/)
  expect(textOf((await comeBack(state)).json)).toBe('names: Alice')
  await server.healthy()
})

test('M09: a state with one character changed, wherever, is refused', async () => {
  const state = await stateOf()
  for (let at = 0; at < state.length - 1; at += 7) {
    const changed = state.slice(0, at) + (state[at] === 'A' ? 'B' : 'A') + state.slice(at + 1)
    expect((await comeBack(changed)).json).toMatchObject({ error: { code: -32602 } })
  }
  await server.healthy()
})

test('M09: the two writings of one state are not both taken for it', async () => {
  const state = await stateOf()
  for (const changed of [`${state}=`, `${state}==`, ` ${state}`, `${state}\n`, `${state}!`])
    expect((await comeBack(changed)).json).toMatchObject({ error: { code: -32602 } })
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
    ['a handle that nobody gave out', (state) => `state-handle.${state}`],
    ['1 MB of it', (state) => state.repeat(MIB / state.length)],
    ['1 MB of letters', () => 'A'.repeat(MIB)],
    ['unsealed JSON', () => JSON.stringify({ round: 1, answers: {}, steps: {}, asked: {} })],
    ['a number', () => 42],
    ['an object', () => ({})],
    ['null', () => null],
    ['__proto__', () => '__proto__'],
  ])('%s is refused', async (_, change) => {
    await expectRefused(await comeBack(change(await stateOf())))
  })

  test('the state of other arguments, and of another tool, is refused', async () => {
    const state = await stateOf()
    await expectRefused(await comeBack(state, server, tool('ask', { topic: 'money' })))
    await expectRefused(await comeBack(state, server, tool('ask')))
    await expectRefused(await comeBack(state, server, tool('ask-again')))
  })

  test('the state of another method is refused', async () => {
    const state = await stateOf()
    const answer = await server.send(modern('prompts/get', { name: 'greet', arguments: { name: 'x' }, requestState: state }))
    await expectRefused(answer)
  })

  test('the state of a server with other keys is refused, that of one with the same keys is taken', async () => {
    const [one, two, other] = [
      await testHttp({ keys: [KEY] }),
      await testHttp({ keys: [OTHER_KEY, KEY] }),
      await testHttp({ keys: [OTHER_KEY] }),
    ]
    const state = await stateOf(one)
    expect(textOf((await comeBack(state, two)).json)).toBe('names: Alice')
    await expectRefused(await comeBack(state, other))
    await expectRefused(await comeBack(state))
    await other.healthy()
  })

  test('a state that is too old is refused', async () => {
    const brief = await testHttp({ limits: { stateTtlMs: 200 } })
    const state = await stateOf(brief)
    await sleep(300)
    await expectRefused(await comeBack(state, brief))
    await eventually(async () => {
      const fresh = await stateOf(brief)
      expect(textOf((await comeBack(fresh, brief)).json)).toBe('names: Alice')
    })
  })

  test('the state of another caller is refused', async () => {
    const shared = await testHttp({ users: true })
    const state = await stateOf(shared, ask, { 'x-user': 'victim' })
    await expectRefused(await comeBack(state, shared, ask, { 'x-user': 'thief' }))
    await expectRefused(await comeBack(state, shared))
    expect(textOf((await comeBack(state, shared, ask, { 'x-user': 'victim' })).json)).toBe('names: Alice')
  })

  test('a state that is too large to travel rests in the store, for its owner only', async () => {
    const small = await testHttp({ users: true, limits: { maxStateBytes: 10 } })
    const state = await stateOf(small, ask, { 'x-user': 'victim' })
    await expectRefused(await comeBack(state, small, ask, { 'x-user': 'thief' }))
    await expectRefused(await comeBack(`${state.slice(0, -6)}AAAAAA`, small, ask, { 'x-user': 'victim' }))
    expect(textOf((await comeBack(state, small, ask, { 'x-user': 'victim' })).json)).toBe('names: Alice')
  })

  test.each<[string, unknown]>([
    ['a text', 'x'],
    ['a list', []],
    ['null', null],
    ['an answer that is a text', { 'elicit-1': 'x' }],
    ['answers to what nobody asked', { __proto__: null, constructor: { action: 'accept', content: { name: 'x' } } }],
    ['an answer that does not fit', { 'elicit-1': { action: 'accept', content: { name: 42 } } }],
    ['an answer without content', { 'elicit-1': { action: 'accept' } }],
    ['an action that there is not', { 'elicit-1': { action: 'maybe', content: { name: 'x' } } }],
  ])('answers that are %s end in an error or in the same question', async (_, inputResponses) => {
    const requestState = await stateOf()
    const { json } = await server.send(modern('tools/call', { ...ask, inputResponses, requestState }))
    if (json?.result) expect(json.result.resultType === 'input_required' || json.result.isError).toBe(true)
    else expect(json).toMatchObject({ error: { code: -32602 } })
    await server.healthy()
  })

  test('a cursor is sealed too', async () => {
    for (const cursor of ['bogus', '', '0', 'A'.repeat(MIB), 42, {}, '__proto__', await stateOf()])
      for (const method of ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list'])
        expect((await server.send(modern(method, { cursor }))).json).toMatchObject({ error: { code: -32602 } })
    await server.healthy()
  })
})
