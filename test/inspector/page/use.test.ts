/** What a person does with the page, in both eras: connect, call, read, answer, watch. */
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

describe.each(['2026-07-28', '2025-11-25', '2025-06-18'])('%s', (revision) => {
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

  test('shows the server, its revision and why it was chosen', async () => {
    await page.getByRole('tab', { name: 'Connection' }).click()
    await page.getByText('Connected', { exact: true }).waitFor()
    await page.locator('.revision', { hasText: revision }).waitFor()
    expect(await page.locator('.probe-steps li').count()).toBeGreaterThan(0)
    await page.getByText('1.2.3').waitFor()
  })

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

  test('a question appears at the call, with its defaults, and its answer reaches the server', async () => {
    await call('book')
    const question = page.getByRole('region', { name: 'The server asks for input' })
    await question.getByLabel('people', { exact: false }).first().fill('4')
    await question.getByRole('button', { name: 'Submit' }).click()
    await result().getByText('A table for 4, for dinner').waitFor()
  })

  test('a declined question is an answer, too', async () => {
    await call('book')
    await page.getByRole('region', { name: 'The server asks for input' }).getByRole('button', { name: 'Decline' }).click()
    await result()
      .getByText(/declined/i)
      .first()
      .waitFor()
  })

  test('a response of a model is written by hand', async () => {
    await call('haiku')
    const question = page.getByRole('region', { name: "The server asks for a model's response" })
    await question.getByText('A haiku about ships').waitFor()
    await question.getByLabel('Response', { exact: true }).fill('Masts against the sky')
    await question.getByRole('button', { name: 'Send', exact: true }).click()
    await result().getByText('Masts against the sky').waitFor()
  })

  test('roots are edited while the server is connected', async () => {
    await page.getByRole('tab', { name: 'Connection' }).click()
    await page.getByRole('button', { name: 'Add a root' }).click()
    await page.getByLabel('Address of root 1').fill('file:///tmp/project')
    await page.getByRole('button', { name: 'Apply', exact: true }).click()
    await page.getByText('The server gets these roots.').waitFor()
    await call('list_roots')
    await result().getByText('file:///tmp/project').waitFor()
  })

  test('reads a resource, and one of a template with suggestions', async () => {
    await choose('Resources', 'Welcome')
    await page.getByRole('button', { name: 'Read', exact: true }).click()
    await result()
      .getByText(/Read \d+ times/)
      .waitFor()
    await choose('Resources', 'City')
    await page.getByRole('combobox', { name: /^name/ }).pressSequentially('Bo')
    await page.getByRole('option', { name: 'Bologna' }).click()
    await page.getByText('city://Bologna').first().waitFor()
    await page.getByRole('button', { name: 'Read', exact: true }).click()
    await result().getByText('About Bologna').waitFor()
  })

  test('renders a prompt', async () => {
    await choose('Prompts', 'visit')
    await page.getByRole('combobox', { name: /^city/ }).fill('Oslo')
    await page.getByRole('button', { name: 'Get the prompt' }).click()
    await result().getByText('Plan a weekend in Oslo.').waitFor()
  })

  test('a change of the list shows as a badge', async () => {
    const name = `late_${revision.replaceAll('-', '_')}`
    await page.getByRole('tab', { name: /^Tools/ }).click()
    server.addTool(name)
    await page.locator('.item-list .item', { hasText: name }).getByText('new').waitFor()
  })

  test('log messages have a screen', async () => {
    await page.getByRole('tab', { name: 'Logs' }).click()
    await page.getByLabel('The server sends from').selectOption('debug')
    await call('log')
    await result().getByText('logged').waitFor()
    await page.getByRole('tab', { name: 'Logs' }).click()
    await page.locator('.log-line', { hasText: 'The paper is running low' }).waitFor()
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
