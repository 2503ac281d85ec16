import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { describe, expect, test } from 'vitest'
import { appMethods } from './app-methods.ts'
import { openBridge } from './bridge.ts'
import { createEvent } from './events.ts'
import type { HostCapabilities, Json } from './types.ts'
import { answerView } from './view-tools.ts'

/** A frame whose parent records what the view posts. `send` delivers a message from the parent, or from another source. */
function createFrame() {
  const posted: Json[] = []
  const listeners = new Set<(event: MessageEvent) => void>()
  const parent = { postMessage: (message: unknown) => void posted.push(message as Json) }
  const window = {
    parent,
    addEventListener: (_: string, listener: (event: MessageEvent) => void) => void listeners.add(listener),
    removeEventListener: (_: string, listener: (event: MessageEvent) => void) => void listeners.delete(listener),
  }
  const send = (data: unknown, source: unknown = parent) => {
    for (const listener of listeners) listener({ data, source } as MessageEvent)
  }
  return { posted, listeners, window, send }
}

const ignore = { onRequest: () => undefined, onNotification: () => {} }

function createMethods(capabilities: HostCapabilities, options = {}) {
  const frame = createFrame()
  const bridge = openBridge(frame.window, ignore)
  const context = () => ({ availableDisplayModes: ['inline' as const], displayMode: 'inline' as const })
  return { ...frame, app: appMethods(bridge, { name: 'v', version: '1', ...options }, { capabilities, context }) }
}

describe('bridge of a view', () => {
  test('settles 100 parallel requests answered in reverse', async () => {
    const { posted, send, window } = createFrame()
    const bridge = openBridge(window, ignore)
    const answers = Array.from({ length: 100 }, (_, index) => bridge.request('tools/call', { index }))
    for (const { id, params } of [...posted].reverse()) send({ jsonrpc: '2.0', id, result: (params as Json).index })
    expect(await Promise.all(answers)).toEqual(Array.from({ length: 100 }, (_, index) => index))
  })

  test.each([
    ['another window', { jsonrpc: '2.0', method: 'ui/notifications/tool-input' }, {}],
    ['no version', { method: 'ui/notifications/tool-input' }, undefined],
    ['a text', 'x'.repeat(1_000_000), undefined],
    ['null', null, undefined],
    ['a list', [{ jsonrpc: '2.0', method: 'x' }], undefined],
    ['an answer to nothing', { jsonrpc: '2.0', id: 7, result: {} }, undefined],
  ])('ignores %s', (_, data, source) => {
    const { posted, send, window } = createFrame()
    const received: string[] = []
    openBridge(window, { ...ignore, onNotification: (method) => void received.push(method) })
    if (source) send(data, source)
    else send(data)
    expect([received, posted]).toEqual([[], []])
  })

  test('answers unknown methods with -32601', async () => {
    const { posted, send, window } = createFrame()
    openBridge(window, ignore)
    send({ jsonrpc: '2.0', id: 'a', method: 'roots/list' })
    await Promise.resolve().then(() => {})
    expect(posted).toMatchObject([{ id: 'a', error: { code: -32601 } }])
  })

  test('cancels by signal and by time, and tells the host', async () => {
    const { posted, window } = createFrame()
    const bridge = openBridge(window, ignore)
    const controller = new AbortController()
    const aborted = bridge.request('tools/call', {}, { signal: controller.signal })
    const late = bridge.request('tools/call', {}, { timeoutMs: 1 })
    controller.abort(new Error('enough'))
    await expect(aborted).rejects.toThrow('enough')
    await expect(late).rejects.toMatchObject({ code: 'REQUEST_TIMEOUT' })
    expect(posted.filter(({ method }) => method === 'notifications/cancelled').map(({ params }) => params)).toEqual([
      { requestId: 1 },
      { requestId: 2 },
    ])
  })

  test('fails pending requests and leaves no listener when it closes', async () => {
    const { listeners, window } = createFrame()
    const bridge = openBridge(window, ignore)
    const pending = bridge.request('ping', {})
    bridge.close()
    await expect(pending).rejects.toMatchObject({ code: 'APP_CLOSED' })
    await expect(bridge.request('ping', {})).rejects.toMatchObject({ code: 'APP_CLOSED' })
    expect(listeners.size).toBe(0)
  })
})

describe('methods of a view', () => {
  test('call a tool without arguments', async () => {
    const { app, posted, send } = createMethods({ serverTools: {} })
    const called = app.call('refresh')
    expect(posted).toMatchObject([{ method: 'tools/call', params: { name: 'refresh', arguments: {} } }])
    send({ jsonrpc: '2.0', id: posted[0]?.id, result: { content: [] } })
    expect(await called).toEqual({ content: [] })
  })

  test('send nothing that the host does not offer', async () => {
    const { app, posted } = createMethods({}, { sampling: true })
    const calls = [
      app.call('add', {}),
      app.read('a://b'),
      app.openLink('https://example.com'),
      app.message('hello'),
      app.updateContext('x'),
      app.download('a.txt', 'x'),
      app.requestDisplayMode('pip'),
      app.sample({}),
    ]
    for (const call of calls) await expect(call).rejects.toMatchObject({ code: 'UNSUPPORTED_BY_HOST' })
    app.log('info', 'x')
    expect(posted).toEqual([])
  })

  test('send only the last context of a task', async () => {
    const { app, posted, send } = createMethods({ updateModelContext: {} })
    const sent = [app.updateContext('one'), app.updateContext('two'), app.updateContext('three')]
    await Promise.resolve().then(() => {})
    expect(posted).toMatchObject([{ params: { content: [{ text: 'three' }] } }])
    send({ jsonrpc: '2.0', id: 1, result: {} })
    await Promise.all(sent)
  })

  test('fail if the host answers isError', async () => {
    const { app, send } = createMethods({ openLinks: {} })
    const opened = app.openLink('https://example.com')
    send({ jsonrpc: '2.0', id: 1, result: { isError: true } })
    await expect(opened).rejects.toMatchObject({ code: 'REQUEST_FAILED' })
  })

  test('encode a blob to download', async () => {
    const { app, posted } = createMethods({ downloadFile: {} })
    void app.download('a/b.bin', new Blob([new Uint8Array([0, 255])]))
    await expect.poll(() => posted.length).toBe(1)
    expect(posted[0]).toMatchObject({ params: { contents: [{ resource: { uri: 'file:///a%2Fb.bin', blob: 'AP8=' } }] } })
  })
})

describe('tools of a view', () => {
  const tools = {
    add: { handler: ({ a, b }: Json) => Number(a) + Number(b) },
    fail: { handler: () => Promise.reject(new Error('no')) },
  }
  test.each([
    [{ name: 'add', arguments: { a: 1, b: 2 } }, { content: [{ type: 'text', text: '3' }] }],
    [{ name: 'fail' }, { content: [{ type: 'text', text: 'no' }], isError: true }],
    [{ name: 'toString' }, { content: [{ type: 'text', text: 'Unknown tool: toString' }], isError: true }],
  ])('answer %j', async (params, result) => {
    expect(await answerView(tools, 'tools/call', params)).toEqual(result)
  })

  test('are not offered if there are none', () => {
    expect(answerView({}, 'tools/list', {})).toBeUndefined()
  })
})

describe('events of a view', () => {
  test('keep the last value for later listeners, and the first as a promise', async () => {
    const event = createEvent<number>()
    event.emit(1)
    event.emit(2)
    const received: number[] = []
    event.on((value) => received.push(value))
    expect(await event.first).toBe(1)
    expect(received).toEqual([2])
  })
})

/** Bundles a module for browsers and returns its code. */
async function bundle(name: string): Promise<string> {
  const input = fileURLToPath(new URL(name, import.meta.url))
  const build = await rolldown({ input, platform: 'browser', logLevel: 'warn' })
  const { output } = await build.generate({ format: 'esm', minify: true })
  await build.close()
  expect(output).toHaveLength(1)
  return output[0].code
}

test('with gzip, the core has at most 4 KB, and with styles and window.openai 8 KB; there is no eval', async () => {
  const [core, styles, shim] = [
    await bundle('./connect.ts'),
    await bundle('./default-styles.ts'),
    await bundle('./openai-shim.ts'),
  ]
  const size = (code: string) => gzipSync(code).length
  expect(size(core)).toBeLessThanOrEqual(4096)
  expect(size(core) + size(styles) + size(shim)).toBeLessThanOrEqual(8192)
  expect(core + styles + shim).not.toMatch(/\beval\b|new Function/)
})
