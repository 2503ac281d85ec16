/** The test host: views of a server, of a page, with and without faults. */
import { fileURLToPath } from 'node:url'
import { type TestHost, testHost } from 'portcall/apps/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { server } from '../../../examples/apps/sales.ts'

const folder = fileURLToPath(new URL('..', import.meta.url))
let host: TestHost
beforeAll(async () => {
  host = await testHost({ server, folder })
})
afterAll(() => host?.close())

const CONNECT = `addEventListener('message', ({ data }) => {
  if (data.id === 1) parent.postMessage({ jsonrpc: '2.0', method: 'ui/notifications/initialized', params: {} }, '*')
  if (data.method === 'ui/notifications/tool-result') document.querySelector('p').textContent += ' ' + data.params.content[0].text
})
parent.postMessage({ jsonrpc: '2.0', id: 1, method: 'ui/initialize', params: { protocolVersion: '2026-01-26', appInfo: { name: 'page', version: '1' }, appCapabilities: {} } }, '*')`
const page = (script = '', markup = '<p>hello</p>'): string => `<!doctype html><title>Page</title>${markup}<script>${CONNECT}
${script}</script>`

test('shows the view of a tool as a host does, and says what happened', async () => {
  const view = await host.show({ tool: 'sales', args: { year: 2026 }, profile: 'claude', theme: 'dark', locale: 'fr-CA' })
  expect(view.failure).toBeUndefined()
  expect(await view.text()).toContain('Sales 2026')
  expect(view.consoleErrors).toEqual([])
  expect(view.violations).toEqual([])
  expect(view.size).toMatchObject({ width: 720 })
  expect(view.size.height).toBeGreaterThan(200)
  expect(view.readyMs).toBeGreaterThan(0)
  expect(view.paintedMs).toBeGreaterThanOrEqual(0)
  const methods = view.messages.map(({ message }) => ('method' in message ? message.method : 'answer'))
  expect(methods.slice(0, 3)).toEqual(['ui/initialize', 'answer', 'ui/notifications/initialized'])
  expect(methods.indexOf('ui/notifications/tool-input')).toBeLessThan(methods.indexOf('ui/notifications/tool-result'))
  expect(view.messages[1]?.message).toMatchObject({
    result: { hostInfo: { name: 'Claude' }, hostContext: { theme: 'dark', locale: 'fr-CA', timeZone: 'UTC' } },
  })
  await view.frame.evaluate('document.querySelector("[value=North]").click()')
  await view.settle()
  expect(await view.text()).toContain('Sales 2026, North')
  expect(JSON.stringify(view.messages)).toContain('"ui/update-model-context"')
  const before = view.messages.length
  await view.update({ context: { theme: 'light' } })
  expect(view.messages.slice(before).map(({ message }) => message)).toContainEqual(
    expect.objectContaining({ method: 'ui/notifications/host-context-changed', params: { theme: 'light' } }),
  )
  await view.close()
})

test('pictures have the size of the view, and the same bytes each time', async () => {
  const shown = { tool: 'sales', args: { year: 2026 }, width: 500, scale: 2, now: new Date(0) }
  const pictures: Uint8Array[] = []
  for (const round of [1, 2]) {
    const view = await host.show(shown)
    pictures.push(await view.screenshot())
    expect(round).toBeGreaterThan(0)
    await view.close()
  }
  const [first = new Uint8Array(), second] = pictures
  expect(Buffer.from(first).readUInt32BE(16)).toBe(1000)
  expect(Buffer.from(first).equals(Buffer.from(second ?? []))).toBe(true)
})

test('pictures of views that are higher than the window show all of them', async () => {
  const size = `{ jsonrpc: '2.0', method: 'ui/notifications/size-changed', params: { height: 2400 } }`
  const resize = `addEventListener('message', ({ data }) => data.id === 1 && parent.postMessage(${size}, '*'))`
  const pictures: Uint8Array[] = []
  for (const color of ['red', 'green']) {
    const view = await host.show({
      html: page(resize, `<body style="margin: 0"><p style="height: 2400px; background: ${color}">`),
    })
    expect(view.size.height).toBe(2400)
    pictures.push(await view.screenshot())
    await view.close()
  }
  const [first = new Uint8Array(), second = new Uint8Array()] = pictures
  expect(Buffer.from(first).readUInt32BE(20)).toBe(2400)
  expect((await host.compare(first, second)).share).toBeGreaterThan(0.95)
})

test('fullscreen fills the window, within the insets of the host', async () => {
  const view = await host.show({ tool: 'sales', profile: 'chatgpt', displayMode: 'fullscreen', width: 900, height: 600 })
  expect(view.size).toEqual({ width: 900, height: 600 })
  expect(view.messages[1]?.message).toMatchObject({
    result: { hostContext: { displayMode: 'fullscreen', safeAreaInsets: { bottom: 92 } } },
  })
  await view.close()
  await expect(host.show({ tool: 'sales', profile: 'vscode', displayMode: 'pip' })).rejects.toThrow(
    'the profile has no display mode "pip", only inline',
  )
})

describe('a page without a server', () => {
  test('gets a result, and has storage of its own', async () => {
    const script = 'localStorage.a = 1; document.querySelector("p").textContent = new Date().getFullYear()'
    const view = await host.show({
      html: page(script),
      result: { content: [{ type: 'text', text: 'twelve' }] },
      now: new Date('2001-02-03'),
    })
    expect(await view.text()).toBe('2001 twelve')
    expect(view.consoleErrors).toEqual([])
    await view.close()
  })

  test('reports what its policy blocks, with the address and the directive', async () => {
    const markup = '<p>hi</p><img src="https://cdn.example.com/a.png"><script src="./main.js"></script>'
    const script = `fetch('https://api.example.com/x?y=1').catch(() => {}); try { eval('1') } catch {}`
    const view = await host.show({ html: page(script, markup), meta: { csp: { connectDomains: ['https://other.example.com'] } } })
    expect(view.failure).toBeUndefined()
    expect(view.violations).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ directive: 'img-src', blocked: 'https://cdn.example.com/a.png' }),
        expect.objectContaining({ directive: 'connect-src', blocked: 'https://api.example.com/x?y=1' }),
        expect.objectContaining({ directive: 'script-src', blocked: 'eval' }),
        expect.objectContaining({ directive: 'script-src-elem', blocked: expect.stringMatching(/\/main\.js$/) }),
      ]),
    )
    expect(view.consoleErrors).toEqual([])
    await view.close()
  })

  test('reports errors of the console, and exceptions that nobody caught', async () => {
    const view = await host.show({ html: page('console.error("oops"); setTimeout(() => { throw new RangeError("late") })') })
    expect(view.consoleErrors).toEqual(['oops', 'RangeError: late'])
    await view.close()
  })

  test('that does not connect has a failure', async () => {
    const view = await host.show({ html: '<p>silent</p>', handshakeTimeoutMs: 5000 })
    expect(view.failure).toMatchObject({
      code: 'VIEW_NOT_CONNECTED',
      message: expect.stringContaining('did not send ui/initialize'),
    })
    expect(view.readyMs).toBeUndefined()
    await view.close()
  })
})

test('a tool without a view, and an unknown tool, have a failure', async () => {
  const view = await host.show({ tool: 'nothing', result: null })
  expect(view.failure).toMatchObject({ code: 'VIEW_UNREADABLE', message: 'The server has no tool "nothing"' })
  await view.close()
})

test('without Playwright or a browser, the error says what to install', async () => {
  await expect(testHost({ folder: '/' })).rejects.toMatchObject({
    code: 'PLAYWRIGHT_MISSING',
    message: expect.stringContaining('npm install --save-dev playwright-core'),
  })
  await expect(testHost({ folder, browser: '/nowhere/chromium' })).rejects.toMatchObject({
    code: 'BROWSER_MISSING',
    message: 'There is no browser at /nowhere/chromium',
  })
  await expect(testHost({ folder, browser: process.execPath })).rejects.toMatchObject({ code: 'BROWSER_MISSING' })
  await expect(host.show({} as never)).rejects.toThrow('pass either tool or html')
})
