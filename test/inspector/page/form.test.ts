/** The form of a tool: what a person sets in it, and what the server gets. */
import type { Browser, Page } from 'playwright-core'
import { createServer } from 'portcall'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { serveFixture } from '../support/fixture-server.ts'
import { openInspector, startBrowser } from './support/inspector.ts'
import { createServerPage, type ServerPage } from './support/server-page.ts'

const RANGE = { low: { type: 'integer' }, high: { type: 'integer' } }
const SHAPES = {
  type: 'object',
  properties: {
    note: { type: ['string', 'null'] },
    mood: { enum: ['calm', 'busy', 3] },
    city: {
      oneOf: [
        { const: 'osl', title: 'Oslo' },
        { const: 'bgo', title: 'Bergen' },
      ],
    },
    amount: {
      oneOf: [
        { title: 'Exact', type: 'integer' },
        { title: 'Range', type: 'object', properties: RANGE, required: ['low', 'high'] },
      ],
    },
    tree: { $ref: '#/$defs/node' },
    tags: { type: 'array', items: { type: 'string' } },
    days: { type: 'array', uniqueItems: true, items: { enum: ['mon', 'tue', 'wed'] } },
    photo: { type: 'string', contentEncoding: 'base64', contentMediaType: 'image/png' },
    urgent: { type: 'boolean' },
    region: { type: 'string', 'x-mcp-header': 'Region' },
    copies: { type: 'integer', default: 2 },
  },
  $defs: {
    node: {
      type: 'object',
      properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/node' } } },
      required: ['name'],
    },
  },
}

let browser: Browser
beforeAll(async () => {
  browser = await startBrowser()
})
afterAll(() => browser.close())

let page: Page
let use: ServerPage
let received: unknown[]
beforeEach(async () => {
  received = []
  const server = createServer({ name: 'shapes', version: '1' })
  server.tool('shapes', { input: SHAPES }, (input) => {
    received.push(input)
    return 'taken'
  })
  page = (await openInspector(browser, await serveFixture(server))).page
  use = createServerPage(page)
  await use.choose('Tools', 'shapes')
})

/** Calls the tool. Returns the arguments that the server got. */
async function send(): Promise<unknown> {
  const count = received.length
  await page.getByRole('button', { name: 'Call', exact: true }).click()
  await expect.poll(() => received.length).toBe(count + 1)
  return received.at(-1)
}

const button = (name: string) => page.getByRole('button', { name, exact: true })

test('unset, null and empty text are three values', async () => {
  expect(await send()).toEqual({})
  await button('note: null').click()
  expect(await send()).toEqual({ note: null })
  await button('Unset note').click()
  expect(await send()).toEqual({})
  await button('note: empty text').click()
  expect(await send()).toEqual({ note: '' })
  await page.locator('#tool-shapes-note').fill('now')
  expect(await send()).toEqual({ note: 'now' })
})

test('lists of values, alternatives, recursive objects, arrays, files and headers', async () => {
  await page.locator('#tool-shapes-mood').selectOption({ label: '3' })
  await page.locator('#tool-shapes-city').selectOption({ label: 'Bergen' })
  await page.getByRole('group', { name: 'amount' }).getByLabel('Shape').selectOption({ label: 'Range' })
  await page.locator('#tool-shapesv-amount-low').fill('1')
  await page.locator('#tool-shapesv-amount-high').fill('5')
  await button('Set tree').click()
  await page.locator('#tool-shapes-tree-name').fill('root')
  await button('Set children').click()
  await page.getByRole('group', { name: 'children' }).getByRole('button', { name: 'Add an item' }).click()
  await page.locator('#tool-shapes-tree-children-0-name').fill('leaf')
  await button('Set tags').click()
  const tags = page.getByRole('group', { name: 'tags' })
  for (const [index, tag] of ['a', 'b', 'c'].entries()) {
    await tags.getByRole('button', { name: 'Add an item' }).click()
    await page.locator(`#tool-shapes-tags-${index}`).fill(tag)
  }
  await button('Remove 2').click()
  await page.getByRole('group', { name: 'days' }).getByLabel('tue').check()
  await page
    .locator('#tool-shapes-photo')
    .setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer: Buffer.from([137, 80]) })
  await page.getByRole('group', { name: 'urgent' }).getByLabel('false').check()
  await page.getByText('Mcp-Param-Region').waitFor()
  await page.locator('#tool-shapes-region').fill('north')
  const expected = {
    mood: 3,
    city: 'bgo',
    amount: { low: 1, high: 5 },
    tree: { name: 'root', children: [{ name: 'leaf' }] },
    tags: ['a', 'c'],
    days: ['tue'],
    photo: 'iVA=',
    urgent: false,
    region: 'north',
  }
  expect(await send()).toEqual(expected)

  const drawer = await use.openMessage('tools/call')
  await drawer.getByRole('tab', { name: 'HTTP' }).click()
  expect(await drawer.locator('.headers div', { hasText: 'mcp-param-region' }).innerText()).toContain('north')
  await drawer.getByRole('button', { name: 'Close the message' }).click()

  await page.getByRole('tab', { name: 'JSON' }).click()
  const editor = page.getByRole('textbox', { name: 'Arguments as JSON' })
  await expect.poll(async () => JSON.parse((await editor.textContent()) ?? '') as unknown).toEqual(expected)
  await page.getByRole('tab', { name: 'Form' }).click()
  expect(await send()).toEqual(expected)
})

test('a _meta is sent with the request, and one that is no object is not, with a note', async () => {
  await page.locator('summary', { hasText: 'Request options' }).click()
  const meta = page.getByLabel('_meta')
  await meta.fill('{ "example.com/trace": "t-7" }')
  await send()
  const drawer = await use.openMessage('tools/call')
  const message = drawer.getByRole('region', { name: 'message', exact: true })
  await message.getByText('"example.com/trace"').waitFor()
  await meta.fill('{ "example.com/trace": ')
  await page.getByText('It is not sent').waitFor()
})
