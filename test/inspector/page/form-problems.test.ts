/** Forms with values that their schemas do not allow: the problems that they show, and the values that they send. */
import type { Browser, Locator, Page } from 'playwright-core'
import { createServer } from 'portcall'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { serveFixture } from '../support/fixture-server.ts'
import { openInspector, startBrowser } from './support/inspector.ts'
import { createServerPage, type ServerPage } from './support/server-page.ts'

const NUMBERS = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    count: { type: 'integer' },
    ratio: { type: 'number', maximum: 1 },
    mail: { type: 'string', format: 'email' },
    data: {},
  },
  required: ['count'],
}

const PERSON = {
  type: 'object' as const,
  properties: {
    name: { type: 'string' as const, minLength: 2 },
    age: { type: 'integer' as const, minimum: 18 },
    mail: { type: 'string' as const, format: 'email' as const },
    site: { type: 'string' as const, format: 'uri' as const },
    born: { type: 'string' as const, format: 'date' as const },
    colors: { type: 'array' as const, items: { type: 'string' as const, enum: ['red', 'green', 'blue'] }, minItems: 1 },
  },
  required: ['name', 'age'],
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
  const server = createServer({ name: 'strict', version: '1' })
  server.tool('take', { input: NUMBERS }, (input) => {
    received.push(input)
    return 'taken'
  })
  server.tool('ask', {}, async (_, call) => JSON.stringify(await call.elicit('Who are you?', PERSON)))
  page = (await openInspector(browser, await serveFixture(server))).page
  use = createServerPage(page)
})

const button = (name: string): Locator => page.getByRole('button', { name, exact: true })

describe('arguments of a tool', () => {
  test.each([
    ['count', 'x', 'x is not a number'],
    ['count', '0x10', '0x10 is not a number'],
    ['count', '12 monkeys', '12 monkeys is not a number'],
    ['count', '1e999', '1e999 is not a number'],
    ['count', '1.5', 'must be a whole number'],
    ['count', '12345678901234567890', '12345678901234567890 cannot be sent exactly: it becomes 12345678901234567000'],
    ['ratio', '2', 'must be at most 1'],
    ['mail', 'notmail', 'expected format email'],
    ['data', '{', 'is not JSON'],
  ])('%s with the text %s is refused once, with the focus on it', async (name, text, message) => {
    await use.choose('Tools', 'take')
    if (name !== 'count') await page.locator('#tool-take-count').fill('1')
    const input = page.locator(`#tool-take-${name}`)
    await input.fill(text)
    await page.locator('.field', { has: input }).getByText(message).waitFor()
    await expect.poll(() => page.getByText('not set', { exact: true }).count()).toBe(name === 'count' ? 4 : 3)
    await button('Call').click()
    await expect.poll(() => input.evaluate((element) => element === document.activeElement)).toBe(true)
    expect(received).toEqual([])
    await button('Call anyway').click()
    await use.result.waitFor()
  })

  test('what is missing is pointed at once, and then the call is sent without it', async () => {
    await use.choose('Tools', 'take')
    await button('Call').click()
    await page
      .locator('.field', { has: page.locator('#tool-take-count') })
      .getByText('is required')
      .waitFor()
    expect(received).toEqual([])
    // Another problem is shown before it is sent.
    await page.locator('#tool-take-count').fill('1')
    await page.locator('#tool-take-ratio').fill('3')
    await button('Call').click()
    expect(received).toEqual([])
    await page.locator('#tool-take-ratio').fill('0.5')
    await button('Call').click()
    await expect.poll(() => received).toEqual([{ count: 1, ratio: 0.5 }])
  })

  test('in the view of the JSON, the problems are listed', async () => {
    await use.choose('Tools', 'take')
    await page.getByRole('tab', { name: 'JSON' }).click()
    await page.locator('.cm-content').waitFor()
    await use.replaceText(page.getByRole('textbox', { name: 'Arguments as JSON' }), '{ "ratio": 2 }')
    await button('Call').click()
    await page.getByText('/ratio: must be at most 1').waitFor()
    await page.getByText('/count: is required').waitFor()
    await button('Call anyway').click()
    await use.result.getByText('failed').or(use.result.getByText('tool error')).waitFor()
  })
})

describe('a form of the server', () => {
  const form = (): Locator => page.getByRole('region', { name: 'The server asks for input' })
  const inputOf = (name: string): Locator => form().locator(`input[id$="-${name}"]`)

  test('shows every problem that the client knows, keeps what was typed, and sends it when asked to', async () => {
    await use.call({ tool: 'ask' })
    await inputOf('name').fill('Ada')
    await inputOf('age').fill('12')
    for (const [name, text, message] of [
      ['mail', 'notmail', 'expected format email'],
      ['site', 'example', 'expected format uri'],
      ['born', '2023-02-29', 'expected format date'],
    ] as const) {
      await inputOf(name).fill(text)
      await form().getByText(message, { exact: true }).waitFor()
    }
    await form().getByRole('button', { name: 'Submit', exact: true }).click()
    await expect.poll(() => inputOf('age').evaluate((element) => element === document.activeElement)).toBe(true)
    expect(await inputOf('mail').inputValue()).toBe('notmail')
    await form().getByRole('button', { name: 'Submit anyway' }).click()
    await page.getByLabel('Filter the timeline').fill('notmail')
    await use.message(/tools\/call|elicitation\/create/)
    await expect.poll(() => page.getByText(/does not match the requested schema/).count()).toBe(0)
  })

  test('is for people: checkboxes for several choices, and no words of developers', async () => {
    await use.call({ tool: 'ask' })
    await form().getByLabel('green').check()
    await form().getByLabel('blue').check()
    await form().getByLabel('green').uncheck()
    expect(
      await form()
        .getByText(/set ""|empty text|\bnull\b|\binteger\b/)
        .count(),
    ).toBe(0)
    await use.answer(form(), { name: 'Ada', age: '36' })
    await use.result
      .getByText(/"colors":\["blue"\]/)
      .first()
      .waitFor()
  })
})
