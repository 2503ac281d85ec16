/** Questions of servers on the page: several at the same time, one after the other, and those that come too late. */
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import type { Browser, Locator } from 'playwright-core'
import { createServer } from 'portcall'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createMemoServer } from '../fixtures/memo-server.mjs'
import { serveFixture } from '../support/fixture-server.ts'
import { serveHttp } from '../support/raw-server.ts'
import { command } from './support/backend.ts'
import { openInspector, startBrowser } from './support/inspector.ts'
import { connectTo, type ServerPage } from './support/server-page.ts'

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const programOf = (path: string) => async (): Promise<string> => `${process.execPath} ${at(path)}`

let browser: Browser
beforeAll(async () => {
  browser = await startBrowser()
})
afterAll(() => browser.close())

async function open(target: string, revision: string): Promise<ServerPage> {
  const { page, origin } = await openInspector(browser)
  return connectTo(page, origin, { revision }, target)
}

/** The open questions that contain a text. */
const questions = ({ page }: ServerPage, text: string): Locator =>
  page.getByRole('region', { name: 'The server asks for input' }).filter({ hasText: text })

const serveMemo = (): Promise<string> => serveFixture(createMemoServer())

const SERVERS: readonly (readonly [string, string, () => Promise<string>])[] = [
  ['2026-07-28', 'HTTP', serveMemo],
  ['2025-11-25', 'HTTP', serveMemo],
  ['2025-06-18', 'stdio', programOf('../fixtures/memo-server.mjs')],
]

describe.each(SERVERS)('%s over %s', (revision, _transport, start) => {
  test('a call asks twice, two at once, and two calls ask at the same time', async () => {
    const use = await open(await start(), revision)
    await use.call({ tool: 'twice' })
    await use.answer(questions(use, 'Which city?'), { city: 'Oslo' })
    await use.answer(questions(use, 'Which street in Oslo?'), { street: 'Storgata' })
    await use.result.getByText('Storgata, Oslo').waitFor()

    await use.call({ tool: 'both' })
    await questions(use, 'The left one?').waitFor()
    await use.answer(questions(use, 'The right one?'), { right: 'moon' })
    await use.answer(questions(use, 'The left one?'), { left: 'sun' })
    await use.result.getByText('sun and moon').waitFor()

    await use.call({ tool: 'echo_asked', fill: { tag: 'first' } })
    await questions(use, 'A word for first?').waitFor()
    await use.call({ tool: 'echo_asked', fill: { tag: 'second' } })
    await questions(use, 'A word for second?').waitFor()
    const away = use.page.getByRole('region', { name: 'Questions of the server' })
    await away.getByRole('button', { name: 'Answer' }).click()
    await use.answer(questions(use, 'A word for first?'), { word: 'one' })
    await away.waitFor({ state: 'detached' })
    await use.answer(questions(use, 'A word for second?'), { word: 'two' })
    await use.result.getByText('second: two').waitFor()
    await use.page.getByLabel('Filter the timeline').fill('first: one')
    await use.message('tools/call')
  })

  test('the question of a call that is cancelled is withdrawn, with a note', async () => {
    const use = await open(await start(), revision)
    await use.call({ tool: 'echo_asked', fill: { tag: 'gone' } })
    await questions(use, 'A word for gone?').waitFor()
    await use.result.getByRole('button', { name: 'Cancel', exact: true }).first().click()
    await use.result.getByText('cancelled', { exact: true }).waitFor()
    await use.page.getByText('The server no longer waits for the answer.').waitFor()
    expect(await questions(use, 'A word for gone?').count()).toBe(0)
  })
})

test('a question that comes after its call was cancelled is shown, and its answer is sent', async () => {
  const use = await open(await programOf('../fixtures/asking.mjs')(), '2025-11-25')
  await use.call({ tool: 'late' })
  await use.result.getByRole('button', { name: 'Cancel', exact: true }).click()
  await questions(use, 'For undefined?').getByRole('button', { name: 'Decline' }).click()
  await questions(use, 'For undefined?').waitFor({ state: 'detached' })
  await use.page.getByLabel('Filter the timeline').fill('decline')
  await use.message('elicitation/create')
})

test('an answer is saved, offered, and given automatically', async () => {
  const use = await open(await serveMemo(), '2026-07-28')
  const { page } = use
  const call = async (): Promise<void> => use.call({ tool: 'echo_asked', fill: { tag: 'tea' } })
  const question = questions(use, 'A word for tea?')
  const save = async (item: string): Promise<void> => {
    await question.getByRole('button', { name: 'Save this answer' }).click()
    await page.getByRole('menuitem', { name: item }).click()
  }
  await call()
  await question.locator('input[id$="-word"]').fill('green')
  await save('Offer it next time')
  await use.answer(question, { word: 'black' })
  await use.result.getByText('tea: black').waitFor()

  await call()
  await question.getByRole('button', { name: 'Saved answers' }).click()
  await page.getByRole('menuitem', { name: '{"word":"green"}' }).click()
  expect(await question.locator('input[id$="-word"]').inputValue()).toBe('green')
  await save('Always answer like this')
  await question.getByRole('button', { name: 'Submit' }).click()
  await use.result.getByText('tea: green').waitFor()

  await call()
  await use.result.getByText('Answered automatically with a saved answer.').waitFor()
  await use.result.getByText('tea: green').waitFor()
  // It is not the answer to other questions.
  await use.call({ tool: 'echo_asked', fill: { tag: 'milk' } })
  const other = questions(use, 'A word for milk?')
  await other.getByRole('button', { name: 'Save this answer' }).waitFor()
  expect(await other.getByRole('button', { name: 'Saved answers' }).count()).toBe(0)
  await use.answer(other, { word: 'white' })
  await use.result.getByText('milk: white').waitFor()

  await page.goto(`${new URL(page.url()).origin}/#/settings`)
  const deleteButtons = page.getByRole('button', { name: 'Delete the answer to A word for tea?' })
  for (let count = 2; count > 0; count--) {
    await deleteButtons.first().click()
    await expect.poll(() => deleteButtons.count()).toBe(count - 1)
  }
  await page.getByText('Answers that you save at a question appear here.').waitFor()
})

/** A request to a model. */
interface ModelRequest {
  readonly key: string | undefined
  readonly body: { readonly model: string; readonly messages: readonly unknown[] }
}

/** Starts an endpoint for chat completions. It remembers what it was asked. */
async function startModel(): Promise<{ url: string; asked: ModelRequest[] }> {
  const asked: ModelRequest[] = []
  const { port, close } = await serveHttp(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    asked.push({ key: request.headers.authorization, body: JSON.parse(text) as ModelRequest['body'] })
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ choices: [{ message: { content: 'Drafted by the model' }, finish_reason: 'stop' }] }))
  })
  onTestFinished(close)
  return { url: `http://127.0.0.1:${port}/v1/chat/completions`, asked }
}

test("the user's model drafts an answer when the user asks for it, with a key that stays in memory", async () => {
  const model = await startModel()
  const use = await open(await serveMemo(), '2025-11-25')
  const { page } = use
  const { origin } = new URL(page.url())
  const server = page.url()
  await page.goto(`${origin}/#/settings`)
  await page.getByLabel('Endpoint').fill(model.url)
  await page.getByLabel('Model', { exact: true }).fill('small')
  await page.getByLabel('Key').fill('sk-of-the-user')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('The model drafts answers').waitFor()
  expect(await page.getByLabel('Key').inputValue()).toBe('')

  await page.goto(server)
  await use.call({ tool: 'think' })
  const question = page.getByRole('region', { name: "The server asks for a model's response" })
  await question.getByText('Say hi').waitFor()
  expect(model.asked).toEqual([])
  await question.getByRole('button', { name: 'Draft with your model' }).click()
  await expect.poll(() => question.getByLabel('Response', { exact: true }).inputValue()).toBe('Drafted by the model')
  const message = { role: 'user', content: 'Say hi' }
  expect(model.asked).toEqual([
    { key: 'Bearer sk-of-the-user', body: expect.objectContaining({ model: 'small', messages: [message] }) },
  ])
  await question.getByRole('button', { name: 'Send', exact: true }).click()
  await use.result.getByText('Drafted by the model').waitFor()
  const kept = await page.evaluate(() => JSON.stringify({ ...sessionStorage, ...localStorage }))
  expect(JSON.stringify(await command(page, 'get-state', {}))).not.toContain('sk-of-the-user')
  expect(kept).not.toContain('sk-of-the-user')
})

test('a model that asks to use tools: they are listed, and their use is answered as JSON', async () => {
  const asking = createServer({ name: 'agent', version: '1' }).tool('plan', {}, async (_, call) => {
    const { content } = await call.sample({
      messages: [{ role: 'user', content: { type: 'text', text: 'Plan it' } }],
      maxTokens: 10,
      tools: [{ name: 'lookup', description: 'Looks a word up.', inputSchema: { type: 'object' } }],
    })
    return JSON.stringify(content)
  })
  const use = await open(await serveFixture(asking), '2025-11-25')
  await use.call({ tool: 'plan' })
  const question = use.page.getByRole('region', { name: "The server asks for a model's response" })
  await question.getByText('lookup', { exact: true }).waitFor()
  await question.getByRole('tab', { name: 'JSON' }).click()
  const editor = question.getByRole('textbox', { name: 'Response of the model' })
  await question.locator('.cm-content').waitFor()
  const answer = {
    role: 'assistant',
    model: 'by-hand',
    stopReason: 'toolUse',
    content: [{ type: 'tool_use', id: '1', name: 'lookup', input: { word: 'port' } }],
  }
  await use.replaceText(editor, JSON.stringify(answer))
  await question.getByRole('button', { name: 'Send', exact: true }).click()
  await use.result.getByText('"tool_use"').first().waitFor()
})
