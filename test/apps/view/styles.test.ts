import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { servePages, useChromium, viewFrame } from './support/browser.ts'
import { bundle, pageOf } from './support/bundle.ts'

const { browser } = useChromium()
const TYPES = fileURLToPath(new URL('../node_modules/@modelcontextprotocol/ext-apps/dist/src/spec.types.d.ts', import.meta.url))
const NAMES = [...new Set(readFileSync(TYPES, 'utf8').match(/"--[a-z0-9-]+"/g))].map((name) => name.slice(1, -1))

test('every style variable has a value; those of the host come first, unless they refer to nothing', async () => {
  const { origin, close } = await servePages({ '/host': pageOf(await bundle('pages/app-bridge.ts')) })
  onTestFinished(close)
  const page = await browser().newPage()
  onTestFinished(() => page.close())
  await page.exposeFunction('tell', () => {})
  await page.goto(`${origin}/host`)
  const html = pageOf(await bundle('views/styles.ts'))
  const variables = { '--color-text-primary': 'red', '--color-background-primary': 'var(--vscode-editor-background)' }
  await page.evaluate((shown) => window.show(shown), {
    html,
    context: { theme: 'dark', locale: 'de', styles: { variables }, safeAreaInsets: { top: 1, right: 2, bottom: 3, left: 4 } },
  })
  await expect.poll(() => page.frames().length).toBe(2)
  const frame = await viewFrame(page)
  await frame.locator('[data-ready]').waitFor()
  const values = await frame.evaluate((names) => {
    const computed = getComputedStyle(document.documentElement)
    return names.map((name) => [name, computed.getPropertyValue(name)] as const)
  }, NAMES)
  expect(NAMES).toHaveLength(76)
  expect(values.filter(([, value]) => value === '')).toEqual([])
  const body = await frame.evaluate(() => {
    const { color, paddingBottom, colorScheme } = getComputedStyle(document.body)
    return { color, paddingBottom, colorScheme, lang: document.documentElement.lang }
  })
  expect(body).toEqual({ color: 'rgb(255, 0, 0)', paddingBottom: '3px', colorScheme: 'dark', lang: 'de' })
  expect(Object.fromEntries(values)['--color-background-primary']).toMatch(/^light-dark\(#fff, ?#1c1c1f\)$|^#1c1c1f$|^rgb/)
})
