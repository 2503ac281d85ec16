/** Data that leaves the page and is used elsewhere: saved calls in CI, a recording in another inspector, the findings of `portcall check`. */
import { execFile } from 'node:child_process'
import { copyFileSync, readFileSync } from 'node:fs'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type DemoServer, startDemoServer } from './support/demo-server.ts'
import { openInspector, startBrowser } from './support/inspector.ts'

const COMMAND = fileURLToPath(new URL('../../../packages/portcall/dist/cli/main.js', import.meta.url))

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

/** Runs the command. Returns its exit code and what it printed. */
const portcall = (...args: string[]): Promise<{ code: number; out: string }> =>
  new Promise((resolve) => {
    const child = execFile(process.execPath, [COMMAND, ...args], (_error, out) => resolve({ code: child.exitCode ?? -1, out }))
  })

async function openDemo(): Promise<Page> {
  const { page } = await openInspector(browser, demo.url)
  await page.locator('.server-item').first().click()
  return page
}

async function callAdd(page: Page): Promise<void> {
  await page.getByRole('tab', { name: /^Tools/ }).click()
  await page.locator('.item-list .item', { hasText: 'add' }).first().click()
  await page.locator('#tool-add-a').fill('41')
  await page.getByRole('button', { name: 'Call', exact: true }).click()
  await page.getByRole('region', { name: 'Result' }).getByText('The sum is 42').waitFor()
}

/** Clicks what saves a file. Returns its path, with its own name, because the name says what it is. */
async function download(page: Page, button: Locator): Promise<string> {
  const [file] = await Promise.all([page.waitForEvent('download'), button.click()])
  const path = await file.path()
  const named = `${path}-${file.suggestedFilename()}`
  copyFileSync(path, named)
  return named
}

test('a call that is saved on the page passes or fails there and in CI', async () => {
  const page = await openDemo()
  await callAdd(page)
  await page.locator('.call-bar').getByRole('button', { name: 'Save' }).click()
  await page.getByRole('menuitem', { name: 'Expect success' }).click()
  await page
    .getByRole('link', { name: 'Saved calls' })
    .or(page.getByRole('button', { name: 'Saved calls' }))
    .click()
  await page.getByRole('button', { name: 'Add an assertion' }).click()
  const assertion = page.locator('.assertion').nth(1)
  await assertion.getByLabel('JSON pointer').fill('/structuredContent/sum')
  await assertion.getByLabel('Comparison').selectOption('equals')
  const outcome = async (value: string, badge: string): Promise<number> => {
    await assertion.getByLabel('Value as JSON').fill(value)
    await assertion.getByLabel('Value as JSON').blur()
    await page.getByRole('button', { name: 'Run against' }).click()
    await page.getByRole('menuitem').first().click()
    await page.locator('.card .badge', { hasText: badge }).waitFor()
    const file = await download(page, page.getByRole('button', { name: 'Export for CI' }))
    const { code, out } = await portcall('replay', file, demo.url)
    expect(out).toContain('add')
    return code
  }
  expect(await outcome('43', 'failed')).toBe(1)
  expect(await outcome('42', 'passed')).toBe(0)
})

test('a recording shows the same in another inspector, without the server', async () => {
  const page = await openDemo()
  await callAdd(page)
  // The recording has the list twice.
  await page.getByRole('button', { name: 'Fetch the list again' }).click()
  await page.locator('.timeline .row', { hasText: 'tools/list' }).nth(1).waitFor()
  /** Returns the tools and the messages that the page shows. Times and sizes are those of the wire, which a recording does not hold. */
  const shown = async (of: Page): Promise<{ tools: string[]; prompts: string[]; calls: string[] }> => {
    const names = async (screen: string): Promise<string[]> => {
      await of.getByRole('tab', { name: new RegExp(`^${screen}`) }).click()
      await of.locator('.item-list .item').first().waitFor()
      return of.locator('.item-list .item-name').allTextContents()
    }
    const calls = of.locator('.timeline .row', { hasText: 'tools/call' }).locator('.row-main')
    await calls.first().waitFor()
    return { tools: await names('Tools'), prompts: await names('Prompts'), calls: await calls.allTextContents() }
  }
  const before = await shown(page)
  expect(before.calls).toHaveLength(1)
  await page.getByRole('button', { name: 'Export', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Recording' }).click()
  const file = await download(page, page.getByRole('dialog').getByRole('button', { name: /^Save/ }))

  const { page: other, origin } = await openInspector(browser)
  await other.goto(`${origin}/#/recordings`)
  await other.getByLabel('Open a recording').setInputFiles(file)
  await other.locator('.server-item').first().click()
  expect(await shown(other)).toEqual(before)
  await other.getByRole('tab', { name: 'Skills' }).click()
  await other.getByText('The recording does not contain this list').waitFor()
  await other.locator('.timeline .row', { hasText: 'tools/call' }).click()
  const drawer = other.getByRole('complementary', { name: 'Message' })
  await drawer.getByRole('radio', { name: 'response' }).check()
  await drawer.getByText('The sum is 42').first().waitFor()
})

test('the screen Check has the findings of `portcall check`, each once', async () => {
  const page = await openDemo()
  await page.getByRole('tab', { name: 'Check' }).click()
  // The list of tools may have checked the server before.
  await page.getByRole('button', { name: /^Check( again)?$/ }).click()
  await page.locator('.findings li').first().waitFor()
  const found = await page
    .locator('.findings > li')
    .evaluateAll((groups) =>
      groups.flatMap((group) =>
        [...group.querySelectorAll('.finding-items > li')].map((item) => [
          item.querySelector('.finding-message')?.textContent ?? group.querySelector('.finding-message')?.textContent,
          group.querySelector('.finding-advice')?.textContent,
        ]),
      ),
    )
  const { findings } = JSON.parse((await portcall('check', demo.url, '--json')).out) as {
    findings: { message: string; advice: string }[]
  }
  expect(found.toSorted()).toEqual(findings.map(({ message, advice }) => [message, advice]).toSorted())
})

/** Chooses a format of the export. Returns its dialog. */
async function startExport(page: Page, format: string): Promise<Locator> {
  await page.getByRole('button', { name: 'Export', exact: true }).click()
  await page.getByRole('menuitem', { name: format }).click()
  return page.getByRole('dialog')
}

test('the preview of an export is what is saved, without secrets', async () => {
  const { page } = await openInspector(browser, '--header', 'Authorization: Bearer very-secret-token-1', demo.url)
  await callAdd(page)
  const dialog = await startExport(page, 'HAR 1.2')
  await dialog.getByText('These secrets were replaced:').waitFor()
  expect(await dialog.innerText()).toMatch(/authorization × \d+/i)
  const preview = (await dialog.getByRole('region', { name: 'preview' }).textContent()) ?? ''
  await dialog.getByText(/These are the first 20,000 of [\d,]+ characters/).waitFor()
  const text = readFileSync(await download(page, dialog.getByRole('button', { name: /^Save/ })), 'utf8')
  expect(preview).toHaveLength(20_000)
  expect(text.startsWith(preview)).toBe(true)
  expect(text).not.toContain('very-secret')
  const { log } = JSON.parse(text) as { log: { version: string; entries: { request: { url: string } }[] } }
  expect(log.version).toBe('1.2')
  expect(log.entries.map(({ request }) => request.url)).toContain(demo.url)
})

test('an exported HTML page is read without a network and without the inspector', async () => {
  const { page } = await openInspector(browser, '--header', 'Authorization: Bearer very-secret-token-1', demo.url)
  await callAdd(page)
  const dialog = await startExport(page, 'HTML page')
  const file = await download(page, dialog.getByRole('button', { name: /^Save/ }))
  const context = await browser.newContext({ offline: true })
  onTestFinished(() => context.close())
  const reader = await context.newPage()
  const faults: string[] = []
  reader.on('console', (message) => faults.push(message.text()))
  reader.on('request', (request) => {
    if (!request.url().startsWith('file:')) faults.push(request.url())
  })
  await reader.goto(`file://${file}`)
  const call = reader.locator('details', { hasText: '"method": "tools/call"' })
  await call.locator('summary').click()
  await call.getByText('"a": 41').waitFor()
  const result = reader.locator('details', { hasText: 'The sum is 42' })
  await result.locator('summary').click()
  await result.getByText('The sum is 42').waitFor()
  expect(await reader.content()).not.toContain('very-secret')
  expect(faults).toEqual([])
})

test('the entry for the configuration of a host', async () => {
  const page = await openDemo()
  await page.getByRole('tab', { name: 'Connection' }).click()
  await page.getByRole('button', { name: 'Application' }).click()
  await page.getByRole('menuitem', { name: 'cursor' }).click()
  const entry = await page.getByRole('region', { name: 'entry', exact: true }).innerText()
  expect(entry).toContain(demo.url)
})
