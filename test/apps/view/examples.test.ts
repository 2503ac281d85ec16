import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Frame, Page } from 'playwright-core'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { server as refunds } from '../../../examples/apps/refund.ts'
import { server as sales } from '../../../examples/apps/sales.ts'
import { server as trees } from '../../../examples/apps/trees.ts'
import { servePages, useChromium, viewFrame } from './support/browser.ts'
import { bundle, pageOf } from './support/bundle.ts'
import { openExample } from './support/example.ts'

const AXE = readFileSync(fileURLToPath(new URL('../node_modules/axe-core/axe.min.js', import.meta.url)), 'utf8')
const REFUND = { order: 'A-1042', amount: 49.9, reason: 'The lamp arrived with a broken shade' }
const EXAMPLES = [
  ['sales', sales, 'sales', { year: 2026 }, 'li'],
  ['refund', refunds, 'propose_refund', REFUND, 'button:enabled'],
  ['trees', trees, 'trees', {}, '.body .row'],
] as const
type Server = (typeof EXAMPLES)[number][1]

const { browser } = useChromium()
let host = ''
beforeAll(async () => {
  host = pageOf(await bundle('pages/app-bridge.ts'))
})

interface Showing {
  readonly page: Page
  readonly frame: Frame
  readonly calls: unknown[]
  readonly told: Map<string, unknown>
  readonly errors: string[]
}

async function showIn(server: Server, tool: string, input: object, shown: object = {}): Promise<Showing> {
  const { origin, close } = await servePages({ '/host': host })
  onTestFinished(close)
  const { client, html, result } = await openExample(server, tool, { ...input })
  onTestFinished(() => client.close())
  const page = await browser().newPage({ viewport: { width: 760, height: 700 } })
  onTestFinished(() => page.close())
  const [calls, errors, told] = [[] as unknown[], [] as string[], new Map<string, unknown>()]
  page.on('pageerror', (error) => errors.push(String(error)))
  page.on('console', (message) => void (message.type() === 'error' && errors.push(message.text())))
  await page.exposeFunction('tell', (method: string, params: unknown) => void told.set(method, params))
  await page.exposeFunction('callTool', (params: { name: string; arguments?: Record<string, unknown> }) => {
    calls.push(params)
    return client.callTool(params.name, params.arguments ?? {})
  })
  await page.goto(`${origin}/host`)
  const capabilities = { serverTools: {}, updateModelContext: { text: {} } }
  await page.evaluate((all) => window.show(all), { html, input, result, capabilities, ...shown } as never)
  await expect.poll(() => page.frames().length).toBe(2)
  return { page, frame: await viewFrame(page), calls, told, errors }
}

describe.each(EXAMPLES)('the example %s', (name, server, tool, input, ready) => {
  test.each([
    ['light', 320],
    ['dark', 320],
    ['light', 680],
    ['dark', 680],
  ] as const)('is accessible and fits in %s, %i px wide', async (theme, width) => {
    const { page, frame, errors } = await showIn(server, tool, input, { width, context: { theme } })
    await frame.locator(ready).first().waitFor()
    await page.evaluate(
      (dark) => void (document.body.style.cssText = `margin:0;background:${dark ? '#1c1c1f' : '#fff'}`),
      theme === 'dark',
    )
    await expect.poll(() => page.evaluate(() => document.querySelector('iframe')?.clientHeight)).not.toBe(150)
    if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/${name}-${theme}-${width}.png` })
    await frame.evaluate(AXE)
    const findings = await frame.evaluate(async () => {
      document.body.style.background = 'light-dark(#fff, #1c1c1f)'
      const { violations } = await (
        window as unknown as { axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> } }
      ).axe.run()
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 90)).join(' | ')}`)
    })
    expect(findings).toEqual([])
    expect(await frame.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
    expect(errors).toEqual([])
  })
})

test('the filters of the chart call the tool again, with the keyboard too', async () => {
  const { frame, calls, told } = await showIn(sales, 'sales', { year: 2026 })
  await frame.locator('li').first().waitFor()
  const total = await frame.locator('.total').textContent()
  await frame.locator('[value=All]').focus()
  await frame.locator('[value=All]').press('ArrowRight')
  await expect.poll(() => frame.locator('h1').textContent()).toBe('Sales 2026, North')
  await frame.locator('select').selectOption('2023')
  await expect.poll(() => frame.locator('h1').textContent()).toBe('Sales 2023, North')
  expect(await frame.locator('.total').textContent()).not.toBe(total)
  expect(calls.at(-1)).toMatchObject({ name: 'sales', arguments: { year: 2023, region: 'North' } })
  await expect
    .poll(() => told.get('ui/update-model-context'))
    .toMatchObject({ content: [{ text: expect.stringContaining('2023') }] })
})

test('the form pays after approval only, once', async () => {
  const first = await showIn(refunds, 'propose_refund', REFUND)
  await first.frame.locator('button:enabled').first().waitFor()
  await first.frame.getByText('Decline').click()
  await expect.poll(() => first.frame.locator('[role=status]').textContent()).toContain('Declined')
  expect(first.calls).toEqual([])
  const { frame, calls } = await showIn(refunds, 'propose_refund', REFUND)
  await frame.locator('button:enabled').first().waitFor()
  await frame.locator('input').fill('500')
  await frame.getByText('Approve').click()
  expect(calls).toEqual([])
  await frame.locator('input').fill('20')
  await frame.locator('input').press('Enter')
  await expect.poll(() => frame.locator('[role=status]').textContent()).toBe('20.00 € refunded. Receipt R-A-1042.')
  expect(calls).toMatchObject([{ name: 'approve_refund', arguments: { amount: 20 } }])
})

test('the table draws few of 10,000 rows, and loads those on the screen', async () => {
  const { frame, calls } = await showIn(trees, 'trees', {})
  await frame.locator('.body .row').first().waitFor()
  expect(await frame.locator('.body .row').count()).toBeLessThan(40)
  await frame.locator('.table').focus()
  await frame.locator('.table').press('End')
  await expect.poll(() => frame.locator('.body .row').last().textContent()).toContain('10000')
  expect(calls.length).toBeLessThanOrEqual(3)
  await frame.locator('input').fill('oak')
  await expect.poll(() => frame.locator('[role=status]').textContent()).toMatch(/^1,4\d\d trees$/)
  await frame.getByRole('button', { name: 'Planted' }).click()
  await expect.poll(() => frame.locator('.body .row').first().textContent()).toContain('1925')
})
