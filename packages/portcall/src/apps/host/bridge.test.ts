import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createRandom } from '../../../test-kit/random.ts'
import { isObject, type JsonObject, type Message } from '../../jsonrpc/message.ts'
import type { Tool } from '../../protocol/types.ts'
import { defaultVariables } from '../view/default-styles.ts'
import type { HostContext } from '../view/types.ts'
import { createHostBridge } from './bridge.ts'
import type { HostBridgeOptions } from './bridge-options.ts'
import { safeFileName } from './downloads.ts'
import { VIEW_LIMITS } from './message-limits.ts'
import { VIEW_METHODS } from './methods.ts'
import { APP_HOSTS } from './profiles.ts'
import type { AppClient, AppEvent } from './types.ts'

const tool = (name: string, visibility?: readonly string[]): Tool => ({
  name,
  inputSchema: { type: 'object' },
  ...(visibility && { _meta: { ui: { visibility } } }),
})

function createView(options: Partial<HostBridgeOptions> = {}) {
  const posted: Message[] = []
  const events: AppEvent[] = []
  const called: string[] = []
  const client: AppClient = {
    tools: () => ({
      toArray: async () => [tool('open'), tool('app', ['app']), tool('nobody', []), tool('model', ['model', 'x'])],
    }),
    async callTool(name) {
      called.push(name)
      return { content: [{ type: 'text', text: name }] }
    },
    request: async (method) => ({ method }),
  }
  const bridge = createHostBridge({
    client,
    post: (message) => void posted.push(message),
    onEvent: (event) => void events.push(event),
    ...options,
  })
  let lastId = 0
  const settled = () => new Promise((resolve) => setTimeout(resolve))
  const ask = async (method: string, params: JsonObject = {}) => {
    lastId += 1
    const id = `v${lastId}`
    bridge.receive({ jsonrpc: '2.0', id, method, params })
    for (let turn = 0; turn < 100 && !posted.some((message) => 'id' in message && message.id === id); turn += 1) await settled()
    return posted.find((message) => 'id' in message && message.id === id) as {
      result?: JsonObject
      error?: { code: number; message: string }
    }
  }
  const initialize = (appCapabilities: JsonObject = {}) =>
    ask('ui/initialize', { appInfo: { name: 'v', version: '1' }, appCapabilities, protocolVersion: '1' })
  const connect = async (appCapabilities: JsonObject = {}) => {
    const answer = await initialize(appCapabilities)
    bridge.receive({ jsonrpc: '2.0', method: 'ui/notifications/initialized' })
    return answer
  }
  const methods = () => posted.flatMap((message) => ('method' in message ? [message.method] : []))
  return { bridge, posted, events, called, ask, initialize, connect, methods, settled }
}

describe('createHostBridge', () => {
  test('delivers input once and then the result, and nothing before the view is ready', async () => {
    const { bridge, posted, connect, methods } = createView()
    bridge.update({ partialInput: { a: 1 } })
    bridge.update({ result: { content: [] } })
    expect(posted).toEqual([])
    await connect()
    bridge.update({ input: { a: 2 }, partialInput: { a: 3 } })
    expect(methods()).toEqual(['ui/notifications/tool-input', 'ui/notifications/tool-result'])
  })

  test('delivers again to a page that was loaded again', async () => {
    const { bridge, connect, methods } = createView()
    bridge.update({ input: {}, result: { content: [] } })
    await connect()
    await connect()
    expect(methods()).toHaveLength(4)
  })

  for (const waits of [true, false])
    test(`cancels what a page has ${waits ? 'waiting' : 'running'} when it is loaded again, and takes the same ids again`, async () => {
      const calls: { name: string; aborted: () => boolean; end: () => void }[] = []
      const client = {
        tools: () => ({ toArray: async () => ['old', 'new'].map((name) => tool(name, ['app'])) }),
        callTool: (name: string, _args: unknown, { signal }: { signal: AbortSignal }) =>
          new Promise((resolve) => {
            const end = (): void => resolve({ content: [{ type: 'text', text: name }] })
            calls.push({ name, aborted: () => signal.aborted, end })
          }),
        request: async () => ({}),
      }
      const { bridge, posted, events, settled } = createView({ client: client as unknown as AppClient })
      const load = async (name: string, initialId: number): Promise<void> => {
        const params = { appInfo: { name: 'v', version: '1' }, appCapabilities: {}, protocolVersion: '1' }
        bridge.receive({ jsonrpc: '2.0', id: initialId, method: 'ui/initialize', params })
        await settled()
        const isReady = name === 'new' || !waits
        if (isReady) bridge.receive({ jsonrpc: '2.0', method: 'ui/notifications/initialized' })
        bridge.receive({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } })
        if (isReady) await expect.poll(() => calls.at(-1)?.name).toBe(name)
      }
      await load('old', 0)
      await load('new', 1).catch(() => undefined)
      await load('new', 0)
      for (const { end } of calls) end()
      await settled()
      expect(calls.map(({ name, aborted }) => [name, aborted()])).toEqual(
        [
          ['old', true],
          ['new', true],
          ['new', false],
        ].slice(waits ? 1 : 0),
      )
      expect(posted.filter((message) => 'id' in message).at(-1)).toMatchObject({ id: 1, result: { content: [{ text: 'new' }] } })
      expect(JSON.stringify(posted)).not.toContain('old')
      expect(events.filter(({ type }) => type === 'refused')).toEqual([])
    })

  test('a view that has sent too many messages still gets ready', async () => {
    const { bridge, initialize, settled } = createView()
    await initialize()
    for (let id = 0; id < 500; id++) bridge.receive({ jsonrpc: '2.0', id, method: 'ping' })
    await settled()
    bridge.receive({ jsonrpc: '2.0', method: 'ui/notifications/initialized' })
    expect(bridge.state).toBe('ready')
  })

  test('messages that only look like the one that a view is ready count', async () => {
    const { bridge, posted, initialize, settled } = createView()
    await initialize()
    for (let id = 0; id < 1000; id++) bridge.receive({ jsonrpc: '2.0', id, method: 'ui/notifications/initialized' })
    await settled()
    expect(posted.length).toBeLessThanOrEqual(2 * VIEW_LIMITS.maxPerSecond + 1)
  })

  test.each(
    Object.entries(VIEW_METHODS).filter(
      ([method, { kind }]) => kind === 'request' && method !== 'ui/initialize' && method !== 'ping',
    ),
  )('refuses %s before the view is ready, and with wrong params', async (method, { capability }) => {
    const nothing = () => {}
    const all = {
      onOpenLink: nothing,
      onMessage: nothing,
      onModelContext: nothing,
      onDownload: nothing,
      onLog: nothing,
      onSample: async () => ({}),
    }
    const { ask, connect, events } = createView(all)
    expect((await ask(method)).error?.code).toBe(-32600)
    await connect()
    const wrong = { url: 1, contents: 1, content: 1, structuredContent: 1, mode: 'x', name: 1, uri: 1, cursor: 1, messages: 1 }
    expect((await ask(method, wrong)).error?.code).toBe(-32602)
    expect(events.filter(({ type }) => type === 'refused')).toHaveLength(2)
    if (capability === undefined) return
    const { onEvent, ...none } = { onEvent: nothing }
    const poor = createView({ ...none, client: undefined as never })
    await poor.connect()
    expect((await poor.ask(method, wrong)).error?.code).toBe(-32601)
  })

  test('answers requests between ui/initialize and ui/notifications/initialized when the view is ready', async () => {
    const { bridge, posted, events, initialize, settled, called } = createView()
    await initialize()
    for (let id = 1; id <= 21; id++)
      bridge.receive({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'app', arguments: {} } })
    await settled()
    expect(called).toEqual([])
    // A view that sends many is told that it is too early.
    expect(posted.slice(1)).toMatchObject([{ id: 21, error: { code: -32600 } }])
    bridge.receive({ jsonrpc: '2.0', method: 'ui/notifications/initialized' })
    await expect.poll(() => posted.length).toBe(22)
    expect(posted.slice(2)).toMatchObject(Array.from({ length: 20 }, (_, at) => ({ id: at + 1, result: {} })))
    expect(events.filter(({ type }) => type === 'refused')).toHaveLength(1)
  })

  test('answers ping at once after ui/initialize', async () => {
    const { ask, initialize } = createView()
    await initialize()
    expect(await ask('ping')).toMatchObject({ result: {} })
  })

  test('neither runs nor answers an early request that the view has cancelled, and takes another in its place', async () => {
    const { bridge, posted, events, initialize, settled, called } = createView()
    await initialize()
    for (let id = 1; id <= 20; id++)
      bridge.receive({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'app', arguments: {} } })
    await settled()
    for (let requestId = 1; requestId <= 20; requestId++)
      bridge.receive({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } })
    await settled()
    bridge.receive({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'app', arguments: {} } })
    await settled()
    bridge.receive({ jsonrpc: '2.0', method: 'ui/notifications/initialized' })
    await expect.poll(() => posted.length).toBe(2)
    await settled()
    expect(posted.slice(1)).toMatchObject([{ id: 1, result: {} }])
    expect(called).toHaveLength(1)
    expect(events.filter(({ type }) => type === 'refused')).toEqual([])
  })

  test('answers an early request of a view that never gets ready with an error, and none of a view that was removed', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const { bridge, posted } = createView()
    const send = (id: string, method: string, params: JsonObject = {}) => bridge.receive({ jsonrpc: '2.0', id, method, params })
    send('a', 'ui/initialize', { appInfo: { name: 'v', version: '1' }, appCapabilities: {}, protocolVersion: '1' })
    await vi.advanceTimersByTimeAsync(0)
    send('b', 'tools/call', { name: 'app', arguments: {} })
    await vi.advanceTimersByTimeAsync(10_000)
    expect(posted).toMatchObject([
      { id: 'a' },
      { id: 'b', error: { code: -32600, message: expect.stringContaining('initialized') } },
    ])
    send('c', 'tools/call', { name: 'app', arguments: {} })
    await vi.advanceTimersByTimeAsync(10)
    await bridge.close()
    expect(vi.getTimerCount()).toBe(0)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(posted).toHaveLength(2)
  })

  test('calls only tools of the server that views may call', async () => {
    const { ask, connect, called } = createView({ approve: ({ tool: { name } }) => name !== 'open' })
    await connect()
    expect((await ask('tools/call', { name: 'app' })).result).toEqual({ content: [{ type: 'text', text: 'app' }] })
    for (const name of ['nobody', 'model', 'other', '__proto__'])
      expect((await ask('tools/call', { name })).error?.code).toBe(-32602)
    expect((await ask('tools/call', { name: 'open' })).result).toMatchObject({ isError: true })
    expect(called).toEqual(['app'])
  })

  test.each(['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', 'ftp://a.example', '//a.example', 'x', ' '])(
    'does not open %j',
    async (url) => {
      const opened: string[] = []
      const { ask, connect } = createView({ onOpenLink: (address) => void opened.push(address) })
      await connect()
      expect((await ask('ui/open-link', { url })).error?.code).toBe(-32602)
      expect(opened).toEqual([])
      expect((await ask('ui/open-link', { url: 'https://a.example/x' })).result).toEqual({})
    },
  )

  test.each([
    ['time', 'a', true],
    ['secret', 'a', false],
    ['time', 'b', true],
    ['ime', 'a', false],
    ['', 'a', false],
    ['shared', 'a', true],
    ['shared', 'c', false],
  ])('behind a gateway, a view calls %s by the name on its server (%s): %s', async (name, server, isCalled) => {
    const called: string[] = []
    const listed = [tool('a__time'), tool('a__secret', ['model']), tool('a__shared'), tool('b__shared', ['model'])]
    const client: AppClient = {
      tools: () => ({ toArray: async () => listed }),
      callTool: async (one) => {
        called.push(one)
        return { content: [] }
      },
      request: async () => ({}),
    }
    const { connect, ask } = createView({ client, uri: `ui://${server}/view.html` })
    await connect()
    const { error } = await ask('tools/call', { name })
    expect([called, error === undefined]).toEqual(isCalled ? [[name], true] : [[], false])
  })

  test('survives 10,000 random messages, and answers afterwards', async () => {
    const { below, chance, pick } = createRandom(7)
    const names = Object.keys(VIEW_METHODS)
    const cyclic: { self?: unknown } = {}
    cyclic.self = cyclic
    const values = [null, 0, -1, Number.NaN, '', 'x'.repeat(50), true, [], {}, [1], { a: [] }]
    const foreign: unknown[] = [undefined, 1n, Symbol('s'), () => {}, new Map(), new Date(0), cyclic]
    const value = (depth: number): unknown =>
      depth > 0 && below(3) === 0
        ? Object.fromEntries(
            ['name', 'uri', 'url', 'id', 'content', 'appInfo', '__proto__', 'type'].map((name) => [name, value(depth - 1)]),
          )
        : pick(chance(0.002) ? foreign : values)
    const { bridge, events, ask, connect } = createView({
      onMessage: () => {
        throw new Error('no')
      },
    })
    await connect()
    // Slow enough for the limit of messages in a second.
    let clock = performance.now()
    vi.spyOn(performance, 'now').mockImplementation(() => (clock += 10))
    for (let count = 0; count < 10_000; count += 1)
      bridge.receive(
        chance(0.1)
          ? value(3)
          : {
              jsonrpc: chance(0.1) ? value(0) : '2.0',
              method: chance(0.1) ? value(1) : pick(names),
              params: value(3),
              ...(chance(0.5) && { id: chance(0.2) ? value(0) : count }),
            },
      )
    expect(isObject((await ask('ping')).result)).toBe(true)
    expect(events.filter((event) => event.type === 'message' && event.from === 'view').length).toBeGreaterThan(3000)
    expect(events.filter((event) => event.type === 'refused' && event.reason.includes('too many'))).toEqual([])
  })

  test('refuses messages of more than 4 MiB, and more than 200 in a second', async () => {
    const { bridge, connect, ask, posted } = createView({ onMessage: () => {} })
    await connect()
    const content = [{ type: 'text', text: 'x'.repeat(4 * 1024 * 1024) }]
    expect((await ask('ui/message', { role: 'user', content })).error?.message).toContain('larger than')
    posted.length = 0
    for (let id = 0; id < 1000; id += 1) bridge.receive({ jsonrpc: '2.0', id, method: 'ping' })
    for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setTimeout(resolve))
    const answered = posted.filter((message) => 'result' in message).length
    expect(answered).toBeGreaterThan(150)
    expect(answered).toBeLessThanOrEqual(200)
    expect(posted.length).toBeLessThanOrEqual(400)
  })

  test('waits for the answer to the teardown, but not without end', async () => {
    const { bridge, connect, methods } = createView({ teardownTimeoutMs: 20 })
    await connect()
    await bridge.close()
    expect(bridge.state).toBe('closed')
    expect(methods()).toContain('ui/resource-teardown')
  })

  test('sets the style variables of a profile as far as they are known', async () => {
    const { connect } = createView({ profile: 'claude' })
    const { hostContext } = (await connect()).result as { hostContext: HostContext }
    const variables = hostContext.styles?.variables as { [name: string]: string } | undefined
    expect(variables?.['--color-text-primary']).toBe('light-dark(rgba(20, 20, 19), rgba(250, 249, 245))')
    const known = new Set(Object.keys(defaultVariables()).map((name) => `--${name}`))
    for (const { variables: own } of Object.values(APP_HOSTS))
      expect(Object.keys(own?.values ?? {}).filter((name) => !known.has(name))).toEqual([])
    for (const { styleVariables, variables: own, notes } of Object.values(APP_HOSTS))
      expect(notes.some((note) => note.includes('not known, so none are emulated'))).toBe(styleVariables && own === undefined)
  })

  test('is the host of a profile', async () => {
    const { connect, ask } = createView({ profile: 'goose', onOpenLink: () => {}, onMessage: () => {} })
    const { result } = await connect()
    expect(result).toMatchObject({ hostInfo: { name: 'MCP-UI Host' }, hostCapabilities: { openLinks: {} } })
    expect((await ask('ui/message', { role: 'user', content: [{ type: 'text', text: 'a' }] })).error?.code).toBe(-32601)
    expect((await ask('tools/call', { name: 'app' })).result).toMatchObject({ content: [{ text: 'app' }] })
  })
})

test.each([
  ['../../etc/passwd', 'passwd'],
  ['..\\..\\a.exe', 'a.exe'],
  ['.bashrc', 'bashrc'],
  ['a\u202etxt.exe', 'a_txt.exe'],
  ['con.txt', '_con.txt'],
  ['...', 'download'],
  [`${'a'.repeat(300)}.csv`, `${'a'.repeat(146)}.csv`],
])('names the file %j %j', (name, expected) => {
  expect(safeFileName(name)).toBe(expected)
})
