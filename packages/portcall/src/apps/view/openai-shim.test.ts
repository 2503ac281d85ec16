import { afterEach, expect, test, vi } from 'vitest'
import type { App, AppEvents } from './app.ts'
import { createEvent } from './events.ts'
import { openaiShim } from './openai-shim.ts'
import type { HostCapabilities, HostContext, Json } from './types.ts'

afterEach(() => vi.unstubAllGlobals())

/** A connected view whose calls are recorded, in a page whose events are recorded. */
function open(capabilities: HostCapabilities, context: HostContext = {}) {
  const events: Json[] = []
  vi.stubGlobal('openai', undefined)
  vi.stubGlobal('dispatchEvent', ({ type, detail }: CustomEvent) => events.push({ type, ...detail }))
  const kept: { readonly [name: string]: ReturnType<typeof createEvent<never>> } = {
    input: createEvent(),
    result: createEvent(),
    context: createEvent(),
  }
  const calls: unknown[][] = []
  const record =
    (name: string, result?: unknown) =>
    async (...args: unknown[]) => {
      calls.push([name, ...args])
      return result
    }
  const app = {
    capabilities,
    context,
    on: (event: keyof AppEvents<never>, listener: () => void) => kept[event]!.on(listener),
    call: record('call', { content: [], structuredContent: { ok: true } }),
    message: record('message'),
    openLink: record('openLink'),
    updateContext: record('updateContext'),
    requestDisplayMode: record('requestDisplayMode', 'fullscreen'),
    requestTeardown: record('requestTeardown'),
    reportSize: record('reportSize'),
  } as unknown as App
  const emit = async (name: string, value: unknown) => {
    kept[name]!.emit(value as never)
    await Promise.resolve()
  }
  return { openai: openaiShim(app), emit, calls, events }
}

const ALL: HostCapabilities = { serverTools: {}, message: {}, openLinks: {}, updateModelContext: {} }
const MODES: HostContext = { availableDisplayModes: ['inline', 'fullscreen'] }

test('the values follow input, result and context, and each change is announced', async () => {
  const { openai, emit, events } = open(ALL, { theme: 'dark', locale: 'de', containerDimensions: { maxHeight: 400 } })
  expect(openai).toMatchObject({
    theme: 'dark',
    locale: 'de',
    maxHeight: 400,
    displayMode: 'inline',
    toolInput: null,
    toolOutput: null,
  })
  await emit('input', { city: 'Bern' })
  await emit('result', { content: [], structuredContent: { degrees: 3 }, _meta: { id: 7 } })
  await emit('context', { theme: 'light', displayMode: 'pip', safeAreaInsets: { top: 1, right: 2, bottom: 3, left: 4 } })
  expect(openai).toMatchObject({
    toolInput: { city: 'Bern' },
    toolOutput: { degrees: 3 },
    toolResponseMetadata: { id: 7 },
    theme: 'light',
    displayMode: 'pip',
    safeArea: { insets: { top: 1, right: 2, bottom: 3, left: 4 } },
  })
  expect(events.map(({ type }) => type)).toEqual(Array.from({ length: 3 }, () => 'openai:set_globals'))
  expect(events[0]).toMatchObject({ globals: { toolInput: { city: 'Bern' } } })
})

test('the methods call those of the view', async () => {
  const { openai, calls } = open(ALL, MODES)
  expect(await openai.callTool?.('a', { b: 1 })).toMatchObject({ structuredContent: { ok: true } })
  await openai.sendFollowUpMessage?.({ prompt: 'more' })
  await openai.openExternal?.({ href: 'https://example.com/' })
  expect(await openai.requestDisplayMode?.({ mode: 'fullscreen' })).toEqual({ mode: 'fullscreen' })
  await openai.setWidgetState({ open: true })
  openai.notifyIntrinsicHeight(300)
  openai.requestClose()
  expect(openai.widgetState).toEqual({ open: true })
  expect(calls).toEqual([
    ['call', 'a', { b: 1 }],
    ['message', 'more'],
    ['openLink', 'https://example.com/'],
    ['requestDisplayMode', 'fullscreen'],
    ['updateContext', { structuredContent: { widgetState: { open: true } } }],
    ['reportSize', { height: 300 }],
    ['requestTeardown'],
  ])
})

test('a method without a counterpart in the host is absent', async () => {
  const { openai, calls } = open({})
  expect(Object.keys(openai).filter((name) => typeof openai[name as keyof typeof openai] === 'function')).toEqual([
    'requestClose',
    'setWidgetState',
    'notifyIntrinsicHeight',
  ])
  for (const name of ['requestModal', 'uploadFile', 'selectFiles', 'getFileDownloadUrl', 'requestCheckout'])
    expect(openai).not.toHaveProperty(name)
  await openai.setWidgetState({ open: true })
  expect(calls).toEqual([])
})

test('the object of ChatGPT is used as it is', () => {
  const own = { theme: 'dark' }
  vi.stubGlobal('openai', own)
  expect(openaiShim({} as App)).toBe(own)
})
