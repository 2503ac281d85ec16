import type { Locator, Page } from 'playwright-core'
import type { ServerRow } from './servers.ts'
import type { AskingCall, ToolCall } from './vocabulary.ts'

/** Programs in Python take a while to start on a busy machine. */
const CONNECT_TIMEOUT_MS = 60_000

/** The page of one server, as a person uses it. */
export interface ServerPage {
  readonly page: Page
  /** The result of the last operation. */
  readonly result: Locator
  /** Shows a screen. */
  screen(name: string): Promise<void>
  /** Shows an item of a screen. */
  choose(screen: string, item: string): Promise<void>
  /** Shows a tool, fills in its form, and calls it. */
  call(call: Omit<ToolCall, 'shows'>): Promise<void>
  /** Calls a tool, and waits for what its result shows. */
  callToEnd(call: ToolCall): Promise<void>
  /** Calls a tool that becomes a task, without waiting for the task, and shows the task. */
  startTask(tool: string): Promise<void>
  /** Fills in a question and submits it. */
  answer(question: Locator, values: AskingCall['answer']): Promise<void>
  /** Sends a raw message, and waits for its end. */
  send(mode: string, method: string, params?: object): Promise<void>
  /** Waits until the last operation has succeeded. */
  succeeds(): Promise<void>
  /** Waits for a message in the timeline. */
  message(text: string | RegExp): Promise<void>
  /** Opens the last message in the timeline that contains a text. Returns its drawer. */
  openMessage(text: string): Promise<Locator>
  /** Replaces the text of an editor. */
  replaceText(editor: Locator, text: string): Promise<void>
}

/** Creates the page of the server that it shows. */
export function createServerPage(page: Page): ServerPage {
  const result = page.getByRole('region', { name: 'Result' })
  const screen = (name: string): Promise<void> => page.getByRole('tab', { name: new RegExp(`^${name}`) }).click()
  const choose = async (name: string, item: string): Promise<void> => {
    await screen(name)
    const named = page.locator('.item-name', { hasText: new RegExp(`^${item.replaceAll('.', '\\.')}$`) })
    await page.locator('.item-list .item', { has: named }).first().click()
  }
  const lastRow = (text: string | RegExp): Locator => page.locator('.timeline .row', { hasText: text }).last()
  const replaceText: ServerPage['replaceText'] = async (editor, text) => {
    await editor.click()
    await page.keyboard.press('Control+a')
    if (text === '') await page.keyboard.press('Delete')
    else await page.keyboard.insertText(text)
  }
  const call: ServerPage['call'] = async ({ tool, fill = {} }) => {
    await choose('Tools', tool)
    await page.getByRole('heading', { name: tool, exact: true }).waitFor()
    await fillIn(page.locator('.detail'), fill)
    await page.getByRole('button', { name: 'Call', exact: true }).click()
  }
  return {
    page,
    result,
    screen,
    choose,
    call,
    async callToEnd({ shows, ...rest }) {
      await call(rest)
      await result.getByText(shows).first().waitFor()
    },
    async startTask(tool) {
      await choose('Tools', tool)
      const option = page.getByText('Do not wait if the call becomes a task')
      if (!(await option.isVisible())) await page.locator('summary', { hasText: 'Request options' }).click()
      await option.click()
      await page.getByRole('button', { name: 'Call', exact: true }).click()
      await result.getByText('taskId').waitFor()
      await choose('Tasks', tool)
    },
    async answer(question, values) {
      await fillIn(question, values)
      await question.getByRole('button', { name: 'Submit' }).click()
    },
    async send(mode, method, params) {
      await screen('Requests')
      await page.getByLabel('Send as').selectOption({ label: mode })
      await page.getByLabel('Method').fill(method)
      const editor = page.getByRole('textbox', { name: 'Params as JSON' })
      await page.locator('.cm-content').waitFor()
      await replaceText(editor, params ? JSON.stringify(params) : '')
      await page.getByRole('button', { name: 'Send', exact: true }).click()
    },
    succeeds: () => result.locator('.result-head .badge', { hasText: 'success' }).waitFor(),
    message: (text) => lastRow(text).waitFor(),
    openMessage: (text) => openRow(page, lastRow(text)),
    replaceText,
  }
}

const CLICK_MS = 2000
const CLICKS = 10

/** Clicks until something is shown: on a busy machine, what arrives meanwhile moves a row under the click, or replaces the view. */
export async function clickUntil(target: Locator, shown: Locator): Promise<void> {
  for (let clicks = 0; clicks < CLICKS; clicks++) {
    await target.click()
    const isShown = await shown.waitFor({ timeout: CLICK_MS }).then(
      () => true,
      () => false,
    )
    if (isShown) return
  }
  await shown.waitFor()
}

/** Opens a message in the timeline, and returns its drawer. */
export async function openRow(page: Page, row: Locator): Promise<Locator> {
  const drawer = page.getByRole('complementary', { name: 'Message' })
  await clickUntil(row, drawer)
  return drawer
}

/** Fills in the fields of a form by their names. */
async function fillIn(form: Locator, values: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, value] of Object.entries(values)) {
    const radio = form.locator(`input[type=radio][name$="-${name}"]`)
    const field = form.locator(`:is(input, select, textarea)[id$="-${name}"]`).or(radio).first()
    const kind = await field.evaluate((element) => `${element.tagName} ${element.getAttribute('type')}`)
    if (kind.startsWith('SELECT')) await field.selectOption({ label: value })
    else if (kind === 'INPUT radio') await radio.nth(value === 'true' ? 0 : 1).check()
    else await field.fill(value)
  }
}

/** Connects to a server as a person does, and waits until its page is shown. */
export async function connectTo(
  page: Page,
  origin: string,
  { revision, era }: Pick<ServerRow, 'revision' | 'era'>,
  target: string,
): Promise<ServerPage> {
  await page.goto(`${origin}/#/connect`)
  await page.getByLabel('URL, command or file').fill(target)
  await page.getByText(/^(?:Connects over HTTP to|Starts this program)/).waitFor()
  if (revision !== undefined) {
    await page.locator('summary', { hasText: 'Advanced' }).click()
    await page.locator('#connect-revision').selectOption(revision)
    if (era !== undefined) await page.locator('#connect-era').selectOption({ label: era })
  }
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await page.locator('.item-list .item').first().waitFor({ timeout: CONNECT_TIMEOUT_MS })
  return createServerPage(page)
}
