import { afterEach, describe, expect, test, vi } from 'vitest'
import { connectApp } from './connect.ts'
import { watchSize } from './size.ts'
import type { Json } from './types.ts'

afterEach(() => vi.unstubAllGlobals())

/** Makes the process a page in a frame. `answer` gets what the page posts and returns what the parent sends back, all in one task. */
function stubPage(answer: (message: Json) => Json[]) {
  const listeners = new Set<(event: unknown) => void>()
  const appended: unknown[] = []
  const parent = {
    postMessage(message: Json) {
      for (const data of answer(message))
        for (const listener of [...listeners]) listener({ source: parent, data: { jsonrpc: '2.0', ...data } })
    },
  }
  vi.stubGlobal('parent', parent)
  vi.stubGlobal('addEventListener', (_: string, listener: (event: unknown) => void) => listeners.add(listener))
  vi.stubGlobal('removeEventListener', (_: string, listener: (event: unknown) => void) => listeners.delete(listener))
  vi.stubGlobal('document', { body: { append: (text: unknown) => appended.push(text) } })
  return { listeners, appended }
}

const options = { name: 'v', version: '1', autoSize: false, autoStyle: false }

const handshake = ({ id, method }: Json): Json[] =>
  method === 'ui/initialize'
    ? [{ id, result: { hostInfo: { name: 'h', version: '2' }, hostCapabilities: {}, hostContext: { theme: 'dark' } } }]
    : []

describe('connectApp', () => {
  test('loses nothing that the host sends in the task of its answer', async () => {
    stubPage((message) => [
      ...handshake(message),
      { method: 'ui/notifications/tool-input', params: { arguments: { city: 'Bern' } } },
      { method: 'ui/notifications/tool-result', params: { content: [], structuredContent: { degrees: 3 } } },
    ])
    const app = await connectApp(options)
    expect(await app.input).toEqual({ city: 'Bern' })
    expect(await app.result).toEqual({ content: [], structuredContent: { degrees: 3 } })
  })

  test('merges changes of the context', async () => {
    stubPage((message) =>
      message.method === 'ui/notifications/initialized'
        ? [{ method: 'ui/notifications/host-context-changed', params: { locale: 'de' } }]
        : handshake(message),
    )
    const app = await connectApp(options)
    expect(app.context).toEqual({ theme: 'dark', locale: 'de' })
  })

  test('fails the result if the call is cancelled', async () => {
    stubPage((message) => [...handshake(message), { method: 'ui/notifications/tool-cancelled', params: { reason: 'by user' } }])
    const app = await connectApp(options)
    await expect(app.result).rejects.toThrow('by user')
  })

  test('shows why if nobody answers, and leaves no listener', async () => {
    const { listeners, appended } = stubPage(() => [])
    await expect(connectApp({ ...options, handshakeTimeoutMs: 1 })).rejects.toMatchObject({ code: 'HANDSHAKE_TIMEOUT' })
    expect(appended).toEqual(['The host did not answer ui/initialize within 1 ms'])
    expect(listeners.size).toBe(0)
  })

  test('fails outside a frame', async () => {
    vi.stubGlobal('parent', globalThis)
    await expect(connectApp(options)).rejects.toMatchObject({ code: 'NOT_IN_HOST' })
  })
})

/** A page whose height is `page.height`. `step` runs the next animation frame. */
function createPage() {
  const page = { height: 100, innerWidth: 400 }
  const changed: (() => void)[] = []
  const frames: (() => void)[] = []
  const observer = (kind: 'mutation' | 'resize') =>
    class {
      constructor(callback: () => void) {
        if (kind === 'mutation') changed.push(callback)
        else resized.push(callback)
      }
      observe() {}
      disconnect() {}
      takeRecords() {}
    }
  const resized: (() => void)[] = []
  const window = {
    get innerWidth() {
      return page.innerWidth
    },
    document: {
      documentElement: { style: {}, getBoundingClientRect: () => ({ height: page.height }) },
      addEventListener() {},
      removeEventListener() {},
    },
    MutationObserver: observer('mutation'),
    ResizeObserver: observer('resize'),
    requestAnimationFrame: (callback: () => void) => frames.push(callback),
    cancelAnimationFrame() {},
  } as unknown as Window & typeof globalThis
  const call = (callbacks: (() => void)[]) => {
    for (const callback of callbacks) callback()
  }
  const step = () => call(frames.splice(0))
  const sizes: number[] = []
  watchSize(window, ({ height }) => sizes.push(height))
  step()
  return { page, sizes, step, change: () => call(changed), resize: () => call(resized) }
}

describe('watchSize', () => {
  test('reports 100 changes in a frame once, the last one exactly', () => {
    const { page, sizes, change, step } = createPage()
    for (let index = 1; index <= 100; index += 1) {
      page.height = 100 + index
      change()
    }
    step()
    expect(sizes).toEqual([100, 200])
  })

  test('stops where the page only follows its frame', () => {
    const { page, sizes, resize, step } = createPage()
    for (let index = 1; index <= 50; index += 1) {
      page.height += 16
      resize()
      step()
    }
    expect(sizes).toEqual([100, 116, 132])
  })

  test('reports growth by content again after that, and by a change of the width', () => {
    const { page, sizes, change, resize, step } = createPage()
    for (const cause of [resize, resize, resize, change, resize, resize, resize]) {
      page.height += 10
      cause()
      step()
    }
    page.innerWidth = 300
    page.height = 400
    resize()
    step()
    expect(sizes.at(-1)).toBe(400)
    expect(sizes).toContain(140)
  })
})
