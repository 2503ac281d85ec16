/** Views that are described as data, in Chromium under the strict policy: the pages of `examples/apps/gallery.ts`. */

import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Locator } from 'playwright-core'
import { createServer } from 'portcall'
import { chartView, tableView } from 'portcall/apps/server'
import { checkView, type TestedView, type TestHost, testHost } from 'portcall/apps/testing'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { server } from '../../../examples/apps/gallery.ts'

const folder = fileURLToPath(new URL('..', import.meta.url))
const TOOLS = {
  revenue: {},
  visits: {},
  tickets: {},
  team: {},
  inventory: {},
  contact_form: {},
  propose_deployment: { version: '3.2.0' },
  find_rooms: {},
  pick_toppings: {},
}
/** Wider and longer than a conversation shows at once, but what was asked for. */
const ALLOWED = ['view-height']

let host: TestHost
let view: TestedView | undefined
beforeAll(async () => {
  host = await testHost({ server, folder })
})
afterAll(() => host?.close())
afterEach(async () => {
  await view?.close()
  view = undefined
})

async function show(tool: keyof typeof TOOLS, options: object = {}): Promise<TestedView> {
  view = await host.show({ tool, args: TOOLS[tool], width: 600, ...options })
  expect(view.failure).toBeUndefined()
  return view
}

/** Returns an element of the view, for whose changes a test can wait. */
const find = (shown: TestedView, selector: string): Locator =>
  (shown.frame as unknown as { locator(selector: string): Locator }).locator(selector)
const messagesOf = (shown: TestedView, method: string): unknown[] =>
  shown.messages.flatMap(({ message }) => ('method' in message && message.method === method ? [message.params] : []))

describe.each(Object.keys(TOOLS) as (keyof typeof TOOLS)[])('the view of %s', (tool) => {
  test.each(['light', 'dark'] as const)('has no fault in %s, at 320, 600 and 900 px', { timeout: 120_000 }, async (theme) => {
    for (const width of [320, 600, 900]) {
      const shown = await show(tool, { theme, width, scale: 2 })
      const { findings } = await checkView(shown, { folder, maxReadyMs: 20_000, maxPaintMs: 20_000 })
      expect(findings.filter(({ rule }) => !ALLOWED.includes(rule)).map(({ message }) => `${width} px: ${message}`)).toEqual([])
      expect(await shown.frame.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
      if (process.env.SCREENSHOTS)
        await writeFile(`${process.env.SCREENSHOTS}/described-${tool}-${theme}-${width}.png`, await shown.screenshot())
      await shown.close()
    }
  })
})

test('a table of 10,000 rows is sorted by value, filtered, and shown in pages', async () => {
  const shown = await show('inventory')
  const [rows, count] = [find(shown, 'tbody tr'), find(shown, '.count')]
  expect(await rows.count()).toBe(10)
  expect(await count.textContent()).toBe('10,000 rows')
  await find(shown, 'button:text("Price")').click()
  expect(await rows.first().textContent()).toContain('0.50 €')
  await find(shown, 'button:text("Price")').click()
  expect(await find(shown, '[aria-sort=descending]').textContent()).toBe('Price')
  expect(await rows.first().textContent()).toContain('90.49 €')
  await find(shown, 'input').fill('motor oslo')
  expect(await count.textContent()).toMatch(/^[\d,]+ of 10,000 rows$/)
  for (const row of await rows.allTextContents()) expect(row).toMatch(/Motor.*Oslo/)
  await find(shown, 'input').fill('')
  await find(shown, 'button:text("Next")').press('Enter')
  await find(shown, 'button:text("Next")').press('Enter')
  expect(await find(shown, '.pager').textContent()).toContain('Page 3 of 1,000')
  await find(shown, 'input').fill('no such part')
  expect(await rows.allTextContents()).toEqual(['No rows'])
})

test('a form shows what is wrong, sends values with their types, and shows the error of its tool', async () => {
  const shown = await show('contact_form')
  expect(await find(shown, 'label:has-text("Name") + input').inputValue()).toBe('Ada Lovelace')
  const [email, employees, status] = [
    find(shown, 'input[type=email]'),
    find(shown, 'input[type=number]'),
    find(shown, '[role=status]'),
  ]
  await employees.fill('900')
  await find(shown, 'button').click()
  expect(await status.textContent()).toBe('2 fields are not right yet')
  expect(await email.getAttribute('aria-invalid')).toBe('true')
  expect(await find(shown, '.field:has([type=number]) .fault').textContent()).toMatch(/500/)
  expect(messagesOf(shown, 'tools/call')).toEqual([])
  await employees.fill('42')
  await email.fill('ada@example.com')
  await find(shown, 'select').selectOption({ label: 'Enterprise' })
  await find(shown, 'label:has-text("News") input').check()
  await find(shown, 'label:has-text("We may write") input').check()
  await email.press('Enter')
  await expect.poll(() => status.textContent()).toBe('This address is known already')
  await email.fill('ada@lovelace.org')
  await find(shown, 'button').click()
  await expect.poll(() => status.textContent()).toBe('The contact was saved')
  const args = {
    name: 'Ada Lovelace',
    email: 'ada@lovelace.org',
    employees: 42,
    plan: 'enterprise',
    interests: ['News'],
    agreed: true,
  }
  expect(messagesOf(shown, 'tools/call').at(-1)).toMatchObject({ name: 'save_contact', arguments: args })
  expect(await find(shown, 'button').isDisabled()).toBe(true)
})

test('an approval calls its tool with the arguments that it includes; a denial calls none', async () => {
  const denied = await show('propose_deployment')
  await find(denied, 'button:text("Deny")').click()
  await expect.poll(() => find(denied, '[role=status]').textContent()).toBe('Deny: nothing was done.')
  expect(messagesOf(denied, 'tools/call')).toEqual([])
  await expect.poll(() => JSON.stringify(messagesOf(denied, 'ui/update-model-context'))).toContain('The user has denied this')
  await denied.close()
  const shown = await show('propose_deployment')
  await find(shown, 'button:text("Deploy")').click()
  await expect.poll(() => find(shown, '[role=status]').textContent()).toBe('Version 3.2.0 is live')
  expect(messagesOf(shown, 'tools/call')).toEqual([expect.objectContaining({ name: 'deploy', arguments: { version: '3.2.0' } })])
})

test('a choice calls its tool, or answers in the conversation', async () => {
  const rooms = await show('find_rooms')
  await find(rooms, 'button:has-text("Library")').click()
  await expect.poll(() => find(rooms, '[role=status]').textContent()).toMatch(/^Room r2 is booked for \d+-12-\d+$/)
  expect(messagesOf(rooms, 'tools/call')).toEqual([
    expect.objectContaining({ name: 'book_room', arguments: { room: 'r2', date: expect.stringContaining('-12-') } }),
  ])
  await rooms.close()
  const pizza = await show('pick_toppings')
  await find(pizza, 'button').click()
  expect(await find(pizza, '[role=status]').textContent()).toBe('Choose at least one')
  await find(pizza, 'label:has-text("Olives")').click()
  await find(pizza, 'label:has-text("Onions")').click()
  await find(pizza, 'button').click()
  await expect.poll(() => find(pizza, '[role=status]').textContent()).toBe('You have chosen: Olives, Onions')
  const [message] = messagesOf(pizza, 'ui/message') as { content: { text: string }[] }[]
  expect(message?.content[0]?.text).toBe('What do you want on it?\nOlives, Onions')
})

test('a host that takes no answers is said to', async () => {
  const shown = await show('pick_toppings', { profile: 'cursor' })
  await find(shown, 'label:has-text("Olives")').click()
  await find(shown, 'button').click()
  await expect.poll(() => find(shown, '[role=status]').textContent()).toBe('This host takes no answers here. Write: Olives')
  expect(await find(shown, 'button').isDisabled()).toBe(false)
})

test('a chart has its values in words and as a table', async () => {
  const shown = await show('revenue')
  expect(await find(shown, 'svg').getAttribute('aria-label')).toBe(
    'Revenue by quarter. Bar chart with 4 values. Desktop: from 186 K€ (Q1) to 305 K€ (Q2). Mobile: from 80 K€ (Q1) to 200 K€ (Q2)',
  )
  expect(await find(shown, 'rect').count()).toBe(8)
  await find(shown, 'summary').click()
  expect(await find(shown, 'tbody tr').first().textContent()).toBe('Q1186 K€80 K€')
})

test('nothing in the data becomes markup, and data that do not fit are a message', async () => {
  const hostile = '</script><img src=x onerror="document.title=\'broken\'">'
  const rows = [{ [hostile]: hostile, link: `javascript:document.title='broken'`, count: 1 }]
  const own = createServer({ name: 'hostile', version: '1.0.0' })
    .tool(
      'table',
      { output: ANY, view: tableView({ title: hostile, columns: [hostile, { key: 'link', kind: 'link' }] }) },
      () => ({ rows }),
    )
    .tool('chart', { output: ANY, view: chartView({ title: hostile }) }, () => ({ rows }))
    .tool('wrong', { output: ANY, view: chartView() }, () => ({ rows: 'none' }) as never)
  await using hostileHost = await testHost({ server: own, folder })
  for (const tool of ['table', 'chart']) {
    const shown = await hostileHost.show({ tool })
    expect(await shown.text()).toContain(hostile)
    expect(
      await shown.frame.evaluate(
        '[document.images.length, document.title === "broken", document.querySelector("a[href^=javascript]")]',
      ),
    ).toEqual([0, false, null])
    expect(shown.violations).toEqual([])
    await shown.close()
  }
  const wrong = await hostileHost.show({ tool: 'wrong' })
  expect(await wrong.text()).toContain('This cannot be shown: The result contains no list of objects')
  await wrong.close()
})

const ANY = { type: 'object', properties: { rows: {} } } as const
