/** Servers that are broken in one way each: the page names the step, the rule and what to change, and the other servers are as usable as before. */
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import type { Browser, Locator, Page } from 'playwright-core'
import { AUTH_STEPS, DIAGNOSIS_STEPS } from 'portcall/diagnostics'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { ConnectionSettings, InspectorTarget } from '../../../packages/inspector/server/protocol/servers.ts'
import { BROKEN_AUTH_SERVERS } from '../support/broken-auth-servers.ts'
import { BROKEN_SERVERS, type BrokenServer } from '../support/broken-servers.ts'
import { serveFixture } from '../support/fixture-server.ts'
import { serveHttp } from '../support/raw-server.ts'
import { addAndConnect, addServer, command } from './support/backend.ts'
import { openPage, type RunningInspector, startBrowser, startInspector, type WatchedPage } from './support/inspector.ts'
import { createServerPage, openRow } from './support/server-page.ts'

const MISBEHAVING = fileURLToPath(new URL('../fixtures/misbehaving.mjs', import.meta.url))
const TIMEOUT_MS = 30_000
/** The page refuses the first URL before; the others keep the doctor waiting for seconds. `doctor.test.ts` has them all. */
const ELSEWHERE = new Set([
  'a URL with another scheme',
  'a program that never answers',
  'a program that serves HTTP',
  'a list that hangs',
  'a program that writes a banner to stdout',
])

let browser: Browser
let inspector: RunningInspector
let watched: WatchedPage
let page: Page
beforeAll(async () => {
  browser = await startBrowser()
  inspector = await startInspector()
  watched = await openPage(browser, inspector.link)
  page = watched.page
  page.setDefaultTimeout(TIMEOUT_MS)
})
afterAll(async () => {
  await browser.close()
  await inspector.stop()
})
afterEach(() => expect(watched.faults.splice(0)).toEqual([]))

const show = (serverId: string, screen: string): Promise<unknown> => page.goto(`${inspector.origin}/#/${serverId}/${screen}`)

/** Removes a server after a test, so that the next one has the page for itself. */
function removeLater(serverId: string): void {
  onTestFinished(async () => void (await command(page, 'remove-server', { serverId })))
}

function settingsOf({ target, options = {} }: BrokenServer): [InspectorTarget, ConnectionSettings] {
  const { headers, protocolVersion } = options as { headers?: Record<string, string>; protocolVersion?: string }
  const settings = { ...(headers && { headers }), ...(protocolVersion && { revision: protocolVersion }) }
  if (typeof target === 'string') return [{ kind: 'url', url: target }, settings]
  const { command: program, args = [] } = target as { command: string; args?: string[] }
  return [{ kind: 'program', command: program, args }, settings]
}

describe('the doctor shows the step that fails, and what to change', () => {
  test.each(BROKEN_SERVERS.filter(({ name }) => !ELSEWHERE.has(name)))('$name', async ({ start, step, verdict = 'failed' }) => {
    const broken = await start()
    onTestFinished(broken.close)
    const serverId = await addServer(page, ...settingsOf(broken))
    removeLater(serverId)
    await show(serverId, 'check')
    await page.getByRole('button', { name: 'Examine', exact: true }).click()
    await page.getByRole('button', { name: 'Examine again' }).waitFor()
    const steps = page.locator('.doctor-steps > .step')
    const named = steps.filter({ has: page.getByText(DIAGNOSIS_STEPS[step], { exact: true }) })
    expect(await named.getAttribute('class')).toBe(`step ${verdict}`)
    const first = steps.filter({ has: page.locator('.verdict.failed') }).first()
    if (verdict === 'failed') expect(await first.textContent()).toBe(await named.textContent())
    else await named.locator('summary').click()
    expect(await named.locator('.hint').innerText()).not.toBe('')
  })
})

test('a program that ends shows its exit code and what it wrote to stderr', async () => {
  const code = 'console.error("API_KEY is not set"); process.exit(3)'
  const serverId = await addAndConnect(page, { kind: 'program', command: process.execPath, args: ['-e', code] })
  removeLater(serverId)
  await show(serverId, 'connection')
  await page.getByText('The program exited with code 3').first().waitFor()
  await page.getByText('API_KEY is not set').first().waitFor()
})

test('three broken servers of ten block none of the others, and the search finds the tools of all', async () => {
  const url = await serveFixture()
  const silent = await serveHttp(() => {})
  onTestFinished(silent.close)
  const broken: InspectorTarget[] = [
    { kind: 'url', url: 'http://127.0.0.1:9/mcp' },
    { kind: 'program', command: 'no-such-program-here', args: [] },
    { kind: 'url', url: `http://127.0.0.1:${silent.port}/mcp` },
  ]
  const targets = [...broken, ...Array.from({ length: 7 }, (): InspectorTarget => ({ kind: 'url', url }))]
  const ids: string[] = []
  for (const target of targets) ids.push(await addAndConnect(page, target, { connectTimeoutMs: 600_000 }))
  for (const id of ids) removeLater(id)
  const items = page.locator('.server-item')
  await expect.poll(() => items.filter({ hasText: /\d+ tools/ }).count()).toBe(7)
  await show(ids.at(-1) ?? '', 'tools')
  await createServerPage(page).callToEnd({ tool: 'add', fill: { a: '2', b: '3' }, shows: '5' })
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: /^Search tools/ }).fill('numbers')
  const found = page.getByRole('option').filter({ hasText: 'numbers' })
  await expect.poll(() => found.count()).toBeGreaterThanOrEqual(7)
  await found.first().click()
  await page.getByRole('heading', { name: 'numbers', exact: true }).waitFor()
})

describe('a message that breaks a rule is marked, with a link to the specification', () => {
  test.each([
    'not-json',
    'old-batch',
    'second-response',
    'old-id-reuse',
    'unknown-error-code',
    'missing-result-type',
    'result-shape',
    'old-structured-content',
    'input-requests',
    'unknown-progress-token',
    'late-progress',
    'progress-must-increase',
    'server-request',
    'unknown-notification',
    'params-shape',
    'caching-hints',
    'invalid-message',
    'unknown-response-id',
    'empty-error-message',
    'unknown-result-type',
  ])('%s', async (fault) => {
    const rule = fault.replace('old-', '')
    const serverId = await addAndConnect(page, { kind: 'program', command: process.execPath, args: [MISBEHAVING, fault] })
    removeLater(serverId)
    await show(serverId, 'tools')
    await page.locator('.item-list .item', { hasText: 'go' }).first().click()
    await page.getByRole('button', { name: 'Call', exact: true }).click()
    await page.getByRole('button', { name: 'Fetch the list again' }).click()
    const row = page.locator('.timeline .row').filter({ has: page.locator('.badge.bad', { hasText: rule }) })
    const drawer = await openRow(page, row.first())
    await openViolations(drawer, rule)
    const link = drawer.locator('.callout', { hasText: rule }).first().getByRole('link', { name: 'Specification' })
    expect(await link.getAttribute('href')).toMatch(/^https:\/\/(modelcontextprotocol\.io\/specification|www\.jsonrpc\.org)\//)
    await drawer.getByRole('button', { name: 'Close the message' }).click()
  })
})

/** Shows the rules of the message that breaks one: the request of the row, or its response. */
async function openViolations(drawer: Locator, rule: string): Promise<void> {
  await drawer.getByRole('tab', { name: 'Rules' }).click()
  const callout = drawer.locator('.callout', { hasText: rule }).first()
  const response = drawer.getByRole('radio', { name: 'response' })
  if (!(await callout.isVisible()) && (await response.count())) {
    await response.check()
    await drawer.getByRole('tab', { name: 'Rules' }).click()
  }
  await callout.waitFor()
}

describe('the OAuth debugger shows the step and the rule that fail, without a connection', () => {
  test.each(BROKEN_AUTH_SERVERS)('$name', async ({ start, step, verdict = 'failed' }) => {
    const { url, close } = await start()
    onTestFinished(close)
    const serverId = await addServer(page, { kind: 'url', url })
    removeLater(serverId)
    await show(serverId, 'auth')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    const steps = page.getByRole('list', { name: 'Steps' })
    const address = page.locator('.callout .address-text')
    const stopped = page.getByText('The flow stopped')
    const token = page.getByRole('button', { name: 'Use the token' })
    const ended = async () => (await stopped.count()) > 0 || ((await token.count()) > 0 && (await token.isEnabled()))
    await expect.poll(async () => (await address.count()) > 0 || (await ended())).toBe(true)
    if (await address.count()) {
      const tab = await page.context().newPage()
      await tab.goto((await address.textContent())?.trim() ?? '')
      await tab.close()
    }
    const named = steps.getByRole('button', { name: AUTH_STEPS[step] }).first()
    const check = page.locator('.oauth-checks li').filter({ has: page.locator(`.verdict.${verdict}`) })
    await expect
      .poll(async () => {
        await named.click()
        return check.count()
      })
      .toBeGreaterThan(0)
    expect(await check.first().getByRole('link').getAttribute('href')).toMatch(/^https:\/\//)
    // The number of rules that fail is next to each step. Nothing before this one fails.
    const failing = steps.getByRole('button').filter({ has: page.locator('.row-tokens:not(:empty)') })
    if (verdict === 'failed') expect(await failing.first().innerText()).toContain(AUTH_STEPS[step])
  })
})
