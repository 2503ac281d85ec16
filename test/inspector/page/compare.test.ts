/** Comparisons on the page: one changed member is one row, which says whether clients break. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Locator, Page } from 'playwright-core'
import { createServer, type Server } from 'portcall'
import { createGateway } from 'portcall/gateway'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { serveFixture } from '../support/fixture-server.ts'
import { addAndConnect } from './support/backend.ts'
import { openInspector, startBrowser } from './support/inspector.ts'

let browser: Browser
beforeAll(async () => {
  browser = await startBrowser()
})
afterAll(() => browser.close())

/** A server with a tool whose arguments have these types. */
function createOffice(properties: Readonly<Record<string, string>>, name = 'office'): Server {
  const schemas = Object.entries(properties).map(([property, type]) => [property, { type }])
  const input = { type: 'object', properties: Object.fromEntries(schemas) as object, required: ['id'] }
  return createServer({ name, version: '1' }).tool('file', { description: 'Files a letter.', input }, () => 'filed')
}

const side = (page: Page, label: string): Locator => page.locator('.source-picker', { hasText: label }).locator('select')

const run = (page: Page): Promise<void> => page.locator('main').getByRole('button', { name: 'Compare', exact: true }).click()

/** Compares two sides, by their positions among the choices. */
async function compare(page: Page, left: number, right: number): Promise<void> {
  await page.goto(`${new URL(page.url()).origin}/#/compare`)
  await side(page, 'Left').selectOption({ index: left })
  await side(page, 'Right').selectOption({ index: right })
  await run(page)
}

const rowsOf = (page: Page): Locator => page.getByRole('region', { name: 'Table of the differences' }).locator('tbody tr')

/** Opens an inspector that is connected to servers. */
async function openWith(...targets: readonly { url: string; revision?: string; name?: string }[]): Promise<Page> {
  const { page, origin } = await openInspector(browser)
  for (const { url, revision } of targets) {
    const id = await addAndConnect(page, { kind: 'url', url }, revision === undefined ? {} : { revision })
    await page.goto(`${origin}/#/${id}/tools`)
    await page.locator('.item-list .item').first().waitFor()
  }
  return page
}

describe('two servers', () => {
  test.each([
    { change: 'a type', after: { id: 'integer' }, verdict: 'breaking', item: '/inputSchema/properties/id' },
    { change: 'a new optional argument', after: { id: 'string', box: 'string' }, verdict: 'compatible', item: 'box' },
  ])('$change is one row, $verdict', async ({ after, verdict, item }) => {
    const page = await openWith(
      { url: await serveFixture(createOffice({ id: 'string' })) },
      { url: await serveFixture(createOffice(after)) },
    )
    await compare(page, 1, 2)
    await page.getByText('1 difference').waitFor()
    expect(await rowsOf(page).count()).toBe(1)
    const row = rowsOf(page).first()
    await row.locator('.badge', { hasText: new RegExp(`^${verdict}$`) }).waitFor()
    expect(await row.innerText()).toContain('tool file')
    expect(await row.innerText()).toContain(item)
    // The report is that of the sides that are chosen.
    await side(page, 'Right').selectOption({ index: 1 })
    await rowsOf(page).first().waitFor({ state: 'detached' })
    await run(page)
    await page.getByText('are equal').waitFor()
  })
})

test('two revisions of one server', async () => {
  const office = createOffice({ id: 'string' }).tool(
    'count',
    { description: 'Counts.', output: { type: 'array', items: { type: 'number' } } },
    () => ({ structuredContent: [1], content: [] }),
  )
  const url = await serveFixture(office)
  const page = await openWith({ url }, { url, revision: '2025-06-18' })
  await compare(page, 1, 2)
  // The older revision wraps the array and its schema, which is no difference between the servers.
  await page.getByText('1 difference').waitFor()
  expect(await rowsOf(page).first().innerText()).toMatch(/\/revision.*"2026-07-28".*"2025-06-18"/s)
})

test('a server before and behind a gateway', async () => {
  const url = await serveFixture(createOffice({ id: 'string' }))
  const gateway = createGateway({ info: { name: 'office', version: '1' }, servers: { office: { target: url, alias: '' } } })
  onTestFinished(() => gateway.close())
  const page = await openWith({ url }, { url: await serveFixture(gateway) })
  await compare(page, 1, 2)
  await page.getByText('are equal').waitFor()
})

test('a recording and the server today, and a file', async () => {
  const page = await openWith({ url: await serveFixture(createOffice({ id: 'string' })) })
  await page.getByRole('button', { name: 'Export', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Recording' }).click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('dialog').getByRole('button', { name: /^Save/ }).click(),
  ])
  const file = await download.path()
  const later = await openWith({ url: await serveFixture(createOffice({ id: 'string', box: 'string' })) })
  await later.goto(`${new URL(later.url()).origin}/#/recordings`)
  await later.getByLabel('Open a recording').setInputFiles(file)
  await later.locator('.server-item').nth(1).waitFor()
  await compare(later, 2, 1)
  await later.getByText('1 difference').waitFor()
  expect(await rowsOf(later).first().innerText()).toContain('box')

  const folder = mkdtempSync(join(tmpdir(), 'portcall-compare-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const broken = join(folder, 'notes.json')
  writeFileSync(broken, '{ "not": "a snapshot" }')
  await side(later, 'Left').selectOption({ label: 'A file' })
  const chooser = later.getByLabel('File of the left side')
  await chooser.setInputFiles(file)
  await run(later)
  await later.getByText('1 difference').waitFor()
  await chooser.setInputFiles(broken)
  await later.getByText('1 difference').waitFor({ state: 'detached' })
  await run(later)
  await later.getByText('notes.json is neither a snapshot nor a recording').waitFor()
})
