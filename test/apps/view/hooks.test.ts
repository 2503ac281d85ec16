import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { servePages, useChromium, viewFrame } from './support/browser.ts'
import { bundle, pageOf, REACT_18 } from './support/bundle.ts'

const FRAMEWORKS = [
  ['React 19', 'views/react.ts', {}],
  ['React 18', 'views/react.ts', REACT_18],
  ['Preact', 'views/preact.ts', {}],
] as const

const RESULT = { content: [], structuredContent: { text: 'done' } }
const { browser } = useChromium()
const pages: { [path: string]: string } = {}
let server: Awaited<ReturnType<typeof servePages>>

beforeAll(async () => {
  pages['/host'] = pageOf(await bundle('pages/app-bridge.ts'))
  for (const [name, path, alias] of FRAMEWORKS) pages[`/${encodeURI(name)}`] = pageOf(await bundle(path, { alias }))
  server = await servePages(pages)
})
afterAll(() => server.close())

/** Opens the host. `methods` are those of the view's messages. */
async function openHost() {
  const page = await browser().newPage()
  onTestFinished(() => page.close())
  const methods: string[] = []
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(String(error)))
  page.on('console', (message) => void (message.type() === 'error' && errors.push(message.text())))
  await page.exposeFunction('tell', (method: string) => void methods.push(method))
  await page.goto(`${server.origin}/host`)
  const show = async (name: string, shown: object) => {
    await page.evaluate((all) => window.show(all), { html: pages[`/${encodeURI(name)}`] ?? '', ...shown })
    await expect.poll(() => page.frames().length).toBe(2)
    return viewFrame(page)
  }
  return { page, methods, errors, show }
}

describe.each(FRAMEWORKS)('hooks of %s', (name) => {
  test('shake hands once, and return input, result and changes of the context', async () => {
    const { page, methods, errors, show } = await openHost()
    const frame = await show(name, { input: { text: 'a' }, result: RESULT, context: { theme: 'dark' } })
    const state = () => frame.evaluate(() => JSON.parse(document.getElementById('state')?.textContent ?? '{}'))
    const expected = {
      connected: true,
      error: null,
      input: { text: 'a' },
      result: { text: 'done' },
      cancelled: null,
      theme: 'dark',
    }
    await expect.poll(state).toEqual(expected)
    await page.evaluate(() => window.change({ theme: 'light' }))
    await expect.poll(state).toEqual({ ...expected, theme: 'light' })
    await frame.evaluate(() => (window as unknown as { again(): void }).again())
    await expect.poll(state).toEqual({ ...expected, theme: 'light' })
    expect(methods.filter((method) => method.startsWith('ui/') && !method.endsWith('size-changed'))).toEqual([
      'ui/initialize',
      'ui/notifications/initialized',
    ])
    expect(errors).toEqual([])
  })

  test('give a component that is mounted later the values in its first render', async () => {
    const { show } = await openHost()
    const frame = await show(name, { result: RESULT, context: { theme: 'dark' } })
    await expect.poll(() => frame.evaluate(() => document.getElementById('state')?.textContent)).toContain('done')
    await frame.locator('button').click()
    const rendered = JSON.parse((await frame.locator('#late').textContent()) ?? '[]')
    expect(rendered[0]).toEqual(['done', 'dark'])
  })

  test('return the reason of a cancelled call', async () => {
    const { show } = await openHost()
    const frame = await show(name, { cancelled: 'by user' })
    await expect
      .poll(() => frame.evaluate(() => document.getElementById('state')?.textContent))
      .toContain('"cancelled":"by user"')
  })

  test('return the error outside a host', async () => {
    const page = await browser().newPage()
    onTestFinished(() => page.close())
    await page.goto(`${server.origin}/${name}`)
    await expect.poll(() => page.locator('#state').textContent()).toContain('"error":"NOT_IN_HOST"')
  })
})

test.each([
  ['React 19', 'views/react-server.ts', {}],
  ['React 18', 'views/react-server.ts', REACT_18],
  ['Preact', 'views/preact-server.ts', {}],
])('a server renders a page with the hooks of %s as one that is not connected', async (_, path, alias) => {
  const code = await bundle(path, { alias, platform: 'node' })
  const { html } = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as { html: string }
  expect(html.replaceAll('&quot;', '"')).toContain('{"connected":false,"error":null,"input":null')
})
