/** The parts of the page that other tests show with sample data, against the real back end and real servers. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Browser, Locator, Page } from 'playwright-core'
import { createServer } from 'portcall'
import { serve } from 'portcall/node'
import { skills } from 'portcall/skills'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { startAuthorization } from '../support/broken-auth-servers.ts'
import { BROKEN_SERVERS } from '../support/broken-servers.ts'
import { type DemoServer, startDemoServer } from './support/demo-server.ts'
import { openInspector, startBrowser } from './support/inspector.ts'

const SKILLS = fileURLToPath(new URL('../../../examples/skills', import.meta.url))

let browser: Browser
let demo: DemoServer
beforeAll(async () => {
  browser = await startBrowser()
  demo = await startDemoServer()
})
afterAll(async () => {
  await browser.close()
  await demo.close()
})

const open = async (...args: string[]): Promise<Page> => (await openInspector(browser, ...args)).page

async function openServer(...args: string[]): Promise<Page> {
  const page = await open(...args)
  await page.locator('.server-item').first().click()
  return page
}

const screen = (page: Page, name: string): Promise<void> => page.getByRole('tab', { name: new RegExp(`^${name}`) }).click()
const resultOf = (page: Page): Locator => page.getByRole('region', { name: 'Result' })

async function call(page: Page, tool: string): Promise<void> {
  await screen(page, 'Tools')
  await page.locator('.item-list .item', { hasText: tool }).first().click()
  await page.getByRole('heading', { name: tool, exact: true }).waitFor()
  await page.getByRole('button', { name: 'Call', exact: true }).click()
}

async function add(page: Page, target: string): Promise<void> {
  await page.goto(`${new URL(page.url()).origin}/#/connect`)
  await page.getByLabel('URL, command or file').fill(target)
  await page.getByText('Connects over HTTP to').waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('tab', { name: /^Connection/ }).waitFor()
}

describe.each(['2026-07-28', '2025-11-25'])('%s', (revision) => {
  const openDemo = (): Promise<Page> => openServer('--protocol-version', revision, demo.url)

  test('a question with an address shows its host, and is accepted', async () => {
    const page = await openDemo()
    await call(page, 'connect')
    const question = page.getByRole('region', { name: 'The server asks you to open an address' })
    await question.getByText('example.com', { exact: true }).waitFor()
    await question.getByRole('button', { name: 'Accept without opening' }).click()
    await resultOf(page).getByText('connected').first().waitFor()
  })

  test('a recording is written, shown, and imported again', async () => {
    const page = await openDemo()
    await page.getByRole('button', { name: 'Record to a file' }).click()
    await call(page, 'everything')
    await resultOf(page).getByText('An embedded note').waitFor()
    await page.getByRole('button', { name: /^Stop recording/ }).click()
    await page.getByRole('button', { name: 'Export', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Recording' }).click()
    const download = page.waitForEvent('download')
    await page.getByRole('dialog').getByRole('button', { name: /^Save/ }).click()
    const file = await (await download).path()
    expect(readFileSync(file, 'utf8')).toContain('An embedded note')
    await page
      .getByRole('button', { name: 'Recordings' })
      .or(page.getByRole('link', { name: 'Recordings' }))
      .click()
    await page.getByRole('heading', { name: 'Recordings', exact: true }).waitFor()
    const imported = { name: 'call.ndjson', mimeType: 'application/x-ndjson', buffer: readFileSync(file) }
    await page.getByLabel('Open a recording').setInputFiles(imported)
    await page.locator('.server-item', { hasText: 'call' }).waitFor()
    await page.locator('.timeline .row', { hasText: 'tools/call' }).first().waitFor()
  })
})

test('the doctor names the step that fails', async () => {
  const fixture = BROKEN_SERVERS.find(({ problem }) => problem === 'wrong-content-type')
  if (!fixture) throw new Error('there is no such fixture')
  const broken = await fixture.start()
  onTestFinished(broken.close)
  const page = await open()
  await add(page, String(broken.target))
  await screen(page, 'Check')
  await page.locator('.doctor-steps .step.failed').first().waitFor()
  await page.locator('.doctor-steps .step.failed .hint').first().waitFor()
})

test('the OAuth debugger walks through a whole flow', async () => {
  const guarded = await startAuthorization()
  onTestFinished(guarded.close)
  const page = await open()
  await add(page, guarded.url)
  await screen(page, 'Auth')
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  const address = await page.locator('.address-text').first().textContent()
  const signIn = await page.context().newPage()
  await signIn.goto(address?.trim() ?? '')
  await page.bringToFront()
  await expect.poll(() => page.getByRole('button', { name: 'Use the token' }).isEnabled(), { timeout: 8000 }).toBe(true)
  expect(await page.getByRole('list', { name: 'Steps' }).locator('.verdict.failed').count()).toBe(0)
})

test('a skill is loaded', async () => {
  const server = createServer({ name: 'office', version: '1.0.0' }, { extensions: [skills()] })
  await server.skills(SKILLS)
  const serving = await serve(server, { port: 0, handleProcessSignals: false })
  onTestFinished(() => serving.close())
  const page = await openServer(serving.url)
  await screen(page, 'Skills')
  await page.locator('.item-list .item', { hasText: 'invoices' }).click()
  await page.getByRole('button', { name: /^Load/ }).click()
  await page.getByText('Amounts are in cents.').first().waitFor()
})
