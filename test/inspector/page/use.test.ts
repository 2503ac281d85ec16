/** The use of the page by a person, whatever the server: read, edit, watch, send again. `support/features.ts` has what depends on the revision. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type DemoServer, startDemoServer } from './support/demo-server.ts'
import { openPage, type RunningInspector, startBrowser, startInspector, type WatchedPage } from './support/inspector.ts'

let browser: Browser
let server: DemoServer
beforeAll(async () => {
  browser = await startBrowser()
  server = await startDemoServer()
})
afterAll(async () => {
  await browser.close()
  await server.close()
})

const TIMEOUT_MS = 20_000

describe.each(['2026-07-28', '2025-06-18'])('%s', (revision) => {
  let inspector: RunningInspector
  let watched: WatchedPage
  let page: Page
  beforeAll(async () => {
    inspector = await startInspector('--protocol-version', revision, server.url)
    watched = await openPage(browser, inspector.link)
    page = watched.page
    page.setDefaultTimeout(TIMEOUT_MS)
    // The server of the command line is shown at once.
    await page.getByRole('tab', { name: /^Tools/, selected: true }).waitFor()
  })
  afterAll(async () => {
    await page.context().close()
    await inspector.stop()
  })
  afterEach(() => expect(watched.faults.splice(0)).toEqual([]))

  const choose = async (screen: string, item: string): Promise<void> => {
    await page.getByRole('tab', { name: new RegExp(`^${screen}`) }).click()
    await page.locator('.item-list .item', { hasText: item }).first().click()
  }
  const call = async (tool: string): Promise<void> => {
    await choose('Tools', tool)
    await page.getByRole('heading', { name: tool, exact: true }).waitFor()
    await page.getByRole('button', { name: 'Call', exact: true }).click()
  }
  const result = () => page.getByRole('region', { name: 'Result' })

  test('calls a tool from its form, and checks the structured content', async () => {
    await choose('Tools', 'add')
    await page.locator('#tool-add-a').fill('41')
    await page.getByRole('button', { name: 'Call', exact: true }).click()
    await result().getByText('The sum is 42').waitFor()
    const structured = result().getByRole('tab', { name: 'Structured' })
    if (await structured.count()) {
      await structured.click()
      await result().getByText('It matches the output schema.').waitFor()
    }
  })

  test('the form and the JSON are two views of one value', async () => {
    await choose('Tools', 'add')
    await page.getByRole('button', { name: 'Reset' }).click()
    await page.getByRole('tab', { name: 'JSON' }).click()
    const editor = page.getByRole('textbox', { name: 'Arguments as JSON' })
    await page.locator('.cm-content').waitFor()
    await editor.click()
    await page.keyboard.press('Control+a')
    await page.keyboard.insertText('{ "a": 1.50, "b":\t2 }')
    await page.getByRole('tab', { name: 'Form' }).click()
    await expect.poll(() => page.locator('#tool-add-b').inputValue()).toBe('2')
    await page.getByRole('tab', { name: 'JSON' }).click()
    await expect.poll(() => editor.textContent()).toBe('{ "a": 1.50, "b":\t2 }')
    await page.getByRole('tab', { name: 'Schema' }).click()
    await page.getByRole('region', { name: 'Input schema', exact: true }).waitFor()
    await page.getByRole('tab', { name: 'Form' }).click()
  })

  test('shows each kind of content as what it is', async () => {
    await call('everything')
    await result().getByText('## Report').waitFor()
    const heading = result().getByRole('heading', { name: 'Result' })
    const isInSight = (): Promise<boolean> =>
      heading.evaluate((element) => {
        const { left, top } = element.getBoundingClientRect()
        return element.contains(document.elementFromPoint(left + 2, top + 2))
      })
    await expect.poll(isInSight).toBe(true)
    await result().getByRole('button', { name: 'Markdown' }).click()
    await result().getByRole('heading', { name: 'Report' }).waitFor()
    await result().getByRole('img', { name: 'From the server' }).waitFor()
    await result().getByText('An embedded note').waitFor()
    await result().getByRole('tab', { name: 'Raw' }).click()
    await result().getByRole('region', { name: 'result' }).waitFor()
  })

  test('an error of a tool is a result', async () => {
    await call('fails')
    await result().getByText('tool error').waitFor()
    await result().getByText('Out of paper').waitFor()
  })

  test('a running call shows its progress, and can be cancelled', async () => {
    await call('slow')
    await result()
      .getByText(/Step \d+/)
      .waitFor()
    await result().getByRole('button', { name: 'Cancel' }).click()
    await result().getByText('cancelled', { exact: true }).waitFor()
    const row = page.locator('.timeline .row')
    await page.getByLabel('Filter the timeline').fill('slow')
    await row.filter({ hasText: 'tools/call' }).filter({ hasText: 'cancelled' }).waitFor()
    await page.getByLabel('Filter the timeline').fill('')
    if (revision < '2026') await row.filter({ hasText: 'notifications/cancelled' }).waitFor()
  })

  test('a declined question is an answer, too', async () => {
    await call('book')
    await page.getByRole('region', { name: 'The server asks for input' }).getByRole('button', { name: 'Decline' }).click()
    await result()
      .getByText(/declined/i)
      .first()
      .waitFor()
  })

  test('a refusal to ask a model reaches the server', async () => {
    await call('haiku')
    const question = page.getByRole('region', { name: "The server asks for a model's response" })
    // No model endpoint is set, so nothing can leave this machine by itself.
    expect(await question.getByRole('button', { name: 'Draft with your model' }).isDisabled()).toBe(true)
    await question.getByRole('button', { name: 'Decline' }).click()
    await result()
      .getByText(/declined|refused|rejected/i)
      .first()
      .waitFor()
    await question.waitFor({ state: 'detached' })
  })

  test('a change of the list shows as a badge', async () => {
    const name = `late_${revision.replaceAll('-', '_')}`
    await page.getByRole('tab', { name: /^Tools/ }).click()
    server.addTool(name)
    await page.locator('.item-list .item', { hasText: name }).getByText('new').waitFor()
  })

  test('a message shows as sent, in the newest revision, with its HTTP and its rules', async () => {
    await page.getByLabel('Filter the timeline').fill('everything')
    await page.locator('.row', { hasText: 'tools/call' }).first().click()
    const drawer = page.getByRole('complementary', { name: 'Message' })
    await drawer.getByText('"tools/call"').first().waitFor()
    await drawer.getByRole('tab', { name: 'Newest revision' }).click()
    await drawer.getByRole('tab', { name: 'HTTP' }).click()
    await drawer.getByText('POST').waitFor()
    await drawer.getByRole('tab', { name: 'Rules' }).click()
    await drawer.getByText('It breaks none of the rules that are checked.').waitFor()
    await drawer.getByRole('button', { name: 'Edit and resend' }).click()
    await page.getByRole('heading', { name: 'Raw request' }).waitFor()
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await result().getByText('success').waitFor()
    await page.getByLabel('Filter the timeline').fill('')
    await drawer.getByRole('button', { name: 'Close the message' }).click()
  })

  test('a pinned message stays in sight of every filter, and a paused timeline takes no messages', async () => {
    const rows = page.locator('.timeline .row')
    const filter = page.getByLabel('Filter the timeline')
    await call('fails')
    await result().getByText('Out of paper').waitFor()
    await rows.filter({ hasText: 'fails' }).last().click()
    const drawer = page.getByRole('complementary', { name: 'Message' })
    await drawer.getByRole('button', { name: 'Pin' }).click()
    await drawer.getByRole('button', { name: 'Close the message' }).click()
    await filter.fill('matches nothing at all')
    await expect.poll(() => rows.count()).toBe(1)
    await rows.filter({ hasText: 'fails' }).waitFor()
    await filter.fill('')
    await page.getByRole('button', { name: 'Pause the timeline' }).click()
    await page.getByRole('button', { name: 'Continue the timeline' }).waitFor()
    const add = async (a: number): Promise<void> => {
      await choose('Tools', 'add')
      await page.locator('#tool-add-a').fill(String(a))
      await page.locator('#tool-add-b').fill('1')
      await page.getByRole('button', { name: 'Call', exact: true }).click()
      await result()
        .getByText(`The sum is ${a + 1}`)
        .waitFor()
    }
    await add(1000)
    await page.getByRole('button', { name: 'Continue the timeline' }).click()
    await page.getByRole('button', { name: 'Pause the timeline' }).waitFor()
    await add(2000)
    // The call that was sent meanwhile would be between the two. The rows are in the order of their ids, not of their elements.
    const calls = () =>
      rows
        .filter({ hasText: 'tools/call' })
        .evaluateAll((list) =>
          list
            .toSorted((left, right) => Number(left.id.slice(6)) - Number(right.id.slice(6)))
            .map((row) => row.querySelector('.row-subject')?.textContent),
        )
    await expect.poll(async () => (await calls()).slice(-2)).toEqual(['fails', 'add'])
  })

  test('a request that is sent several times says how many succeeded', async () => {
    await page.getByRole('tab', { name: /^Requests/ }).click()
    await page.getByLabel('Method').fill('tools/list')
    await page.getByLabel('Repeat').fill('4')
    await page.getByLabel('Repeat').blur()
    await page.getByLabel('At most per second').fill('20')
    await page.getByLabel('At most per second').blur()
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await result().locator('.figures div', { hasText: 'Succeeded' }).getByText('4', { exact: true }).waitFor()
    await page.getByLabel('Repeat').fill('1')
    await page.getByLabel('Repeat').blur()
  })

  test('the address holds the screen, and a reload keeps it with what was typed', async () => {
    await choose('Tools', 'add')
    await page.locator('#tool-add-a').fill('17')
    expect(page.url()).toMatch(/#\/[^/]+\/tools\/add$/)
    await page.reload()
    await page.getByRole('heading', { name: 'add', exact: true }).waitFor()
    expect(await page.locator('#tool-add-a').inputValue()).toBe('17')
  })

  test('a command and a test are copied from a call', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await choose('Tools', 'add')
    await page.locator('.call-bar').getByRole('button', { name: 'Copy as' }).click()
    await page.getByRole('menuitem', { name: 'portcall command' }).click()
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain('portcall call')
  })
})
