/** Each feature of each server, in Chromium: one body for a feature, and a table of servers. */
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openPage, type RunningInspector, startBrowser, startInspector, type WatchedPage } from './inspector.ts'
import { clickUntil, connectTo, type ServerPage } from './server-page.ts'
import type { Feature, ServerRow } from './servers.ts'

const TIMEOUT_MS = 20_000

/** Tries each feature with each server of a table, in one browser. */
export function describeFeatures(servers: readonly ServerRow[]): void {
  let browser: Browser
  beforeAll(async () => {
    browser = await startBrowser()
  })
  afterAll(() => browser.close())
  describe.each(servers.map((row) => [row.name, row] as const))('%s', (_name, row) => describeServer(row, () => browser))
}

function describeServer(row: ServerRow, browser: () => Browser): void {
  const { vocabulary, lacks, shows, isBrief } = row
  const isLegacy = shows.revision < '2026'
  let server: Awaited<ReturnType<ServerRow['start']>>
  let inspector: RunningInspector
  let watched: WatchedPage
  let use: ServerPage
  beforeAll(async () => {
    server = await row.start()
    inspector = await startInspector()
    watched = await openPage(browser(), inspector.link)
    watched.page.setDefaultTimeout(TIMEOUT_MS)
    use = await connectTo(watched.page, inspector.origin, row, server.target)
  })
  afterAll(async () => {
    await watched?.page.context().close()
    await inspector?.stop()
    await server?.close()
  })
  afterEach(() => expect(watched.faults.splice(0)).toEqual([]))

  /** A test of what does not depend on the transport. */
  const testOnce = test.skipIf(isBrief === true)
  /** A test of a feature that some servers do not have. */
  const testOf = (feature: Feature) => test.skipIf(isBrief === true || lacks[feature] !== undefined)

  test('is connected, in its revision and over its transport', async () => {
    await use.screen('Connection')
    await use.page.locator('.connection-state', { hasText: 'Connected' }).waitFor()
    await use.page.locator('main .badge', { hasText: shows.revision }).first().waitFor()
    await use.page.locator('main .badge', { hasText: shows.transport }).first().waitFor()
    expect(await use.page.locator('.probe-steps li').count()).toBeGreaterThan(0)
  })

  test('a tool is called from its form', () => use.callToEnd(vocabulary.form))

  testOf('structured content')('structured content is checked against its schema', async () => {
    await use.call(vocabulary.structured)
    await clickUntil(use.result.getByRole('tab', { name: 'Structured' }), use.result.getByText('It matches the output schema.'))
    await use.result.getByText(vocabulary.structured.shows).first().waitFor()
    if (vocabulary.array === undefined) return
    await use.call(vocabulary.array)
    const wrappedMembers = [
      { text: vocabulary.array.tool, member: '/result/structuredContent' },
      { text: 'tools/list', member: '/outputSchema' },
    ]
    for (const { text, member } of wrappedMembers) {
      const drawer = await use.openMessage(text)
      await drawer.getByRole('radio', { name: 'response' }).check()
      await drawer.getByRole('tab', { name: 'Newest revision' }).click()
      await drawer
        .getByText(/same in the newest revision|On the wire/)
        .first()
        .waitFor()
      const wrapped = drawer.locator('tr', { hasText: member }).filter({ hasText: 'wrapped' })
      expect(await wrapped.count()).toBe(isLegacy ? 1 : 0)
      await drawer.getByRole('button', { name: 'Close the message' }).click()
    }
  })

  testOnce('progress is in the timeline', async () => {
    await use.callToEnd(vocabulary.progress)
    await use.message('notifications/progress')
  })

  testOnce('a call is cancelled', async () => {
    await use.call(vocabulary.wait)
    await use.result.getByRole('button', { name: 'Cancel' }).click()
    await use.result.getByText('cancelled', { exact: true }).waitFor()
    // Over HTTP, the newest revision has no notification: the client closes the connection of the call.
    const isClosed = !isLegacy && shows.transport !== 'stdio'
    if (!isClosed) return use.message('notifications/cancelled')
    const drawer = await use.openMessage(vocabulary.wait.tool)
    await drawer.getByRole('tab', { name: 'HTTP' }).click()
    await drawer.getByText('The client closed the connection.').waitFor()
    await drawer.getByRole('button', { name: 'Close the message' }).click()
  })

  testOf('logging')('log messages have the level that is chosen', async () => {
    await use.screen('Logs')
    await use.page.getByLabel('Ask the server to send').selectOption('error')
    if (isLegacy) await use.message('logging/setLevel')
    await use.callToEnd(vocabulary.log)
    if (!isLegacy) {
      const drawer = await use.openMessage(vocabulary.log.tool)
      await drawer.getByText('"io.modelcontextprotocol/logLevel": "error"').waitFor()
      await drawer.getByRole('button', { name: 'Close the message' }).click()
    }
    await use.screen('Logs')
    await use.page.locator('.log-line', { hasText: vocabulary.log.line }).first().waitFor()
    expect(await use.page.locator('.log-line', { hasText: 'quiet' }).count()).toBe(0)
  })

  testOf('elicitation')('a form is answered', async () => {
    await use.call(vocabulary.elicit)
    await use.answer(use.page.getByRole('region', { name: 'The server asks for input' }), vocabulary.elicit.answer)
    await use.result.getByText(vocabulary.elicit.shows).first().waitFor()
  })

  testOf('URL elicitation')('an address is accepted', async () => {
    await use.call(vocabulary.elicitUrl)
    const question = use.page.getByRole('region', { name: 'The server asks you to open an address' })
    await question.getByText('example.com', { exact: true }).waitFor()
    await question.getByRole('button', { name: 'Accept without opening' }).click()
    await use.result.getByText(vocabulary.elicitUrl.shows).first().waitFor()
  })

  testOnce('a response of a model is written', async () => {
    await use.call(vocabulary.sample)
    const question = use.page.getByRole('region', { name: "The server asks for a model's response" })
    await question.getByLabel('Response', { exact: true }).fill('Masts against the sky')
    await question.getByRole('button', { name: 'Send', exact: true }).click()
    await use.result.getByText(vocabulary.sample.shows).first().waitFor()
  })

  testOf('roots')('roots are edited while the server is connected', async () => {
    await use.screen('Connection')
    await use.page.getByRole('button', { name: 'Add a root' }).click()
    await use.page.getByLabel('Address of root 1').fill('file:///tmp/project')
    await use.page.getByRole('button', { name: 'Apply', exact: true }).click()
    await use.page.getByText('The server gets these roots.').waitFor()
    if (isLegacy) await use.message('notifications/roots/list_changed')
    await use.callToEnd(vocabulary.roots)
  })

  testOnce('a resource is read', async () => {
    await use.choose('Resources', vocabulary.resource.item)
    await use.result.getByText(vocabulary.resource.shows).first().waitFor()
  })

  testOf('completion')('a template is completed and read', async () => {
    const { item, variable, typed, option, uri, shows: text } = vocabulary.template
    await use.choose('Resources', item)
    await use.page.getByRole('combobox', { name: new RegExp(`^${variable}`) }).pressSequentially(typed)
    if (option !== undefined) await use.page.getByRole('option', { name: option, exact: true }).click()
    await use.page.getByText(uri).first().waitFor()
    await use.page.getByRole('button', { name: /^Read( again)?$/ }).click()
    await use.result.getByText(text).first().waitFor()
  })

  testOf('subscriptions')('a subscribed resource that changes has a badge', async () => {
    await use.choose('Resources', vocabulary.template.item)
    await use.page.getByRole('combobox', { name: new RegExp(`^${vocabulary.template.variable}`) }).fill(vocabulary.change.of)
    await use.page.getByRole('button', { name: 'Subscribe', exact: true }).click()
    await use.page.getByRole('button', { name: 'Subscribed', exact: true }).waitFor()
    await use.page.locator('summary', { hasText: 'Subscriptions' }).click()
    const granted = use.page.locator('.subscription', { hasText: vocabulary.change.of }).getByRole('region', { name: 'granted' })
    expect(await granted.innerText()).toContain('resourceSubscriptions')
    await use.callToEnd(vocabulary.change)
    await use.page.getByRole('tab', { name: /^Resources.*changed/ }).waitFor()
    await use.choose('Resources', vocabulary.template.item)
    await use.page.getByText('changed since it was read').waitFor()
    await use.page.getByRole('button', { name: /^Read( again)?$/ }).click()
    await use.page.getByText('changed since it was read').waitFor({ state: 'detached' })
  })

  testOf('list changes')('a new tool has a badge', async () => {
    if (lacks.subscriptions !== undefined) await use.callToEnd(vocabulary.change)
    await use.screen('Tools')
    await use.page.locator('.item-list .item', { hasText: vocabulary.added }).getByText('new').waitFor()
  })

  testOnce('a prompt is rendered', async () => {
    const { item, fill, shows: text } = vocabulary.prompt
    await use.choose('Prompts', item)
    for (const [name, value] of Object.entries(fill))
      await use.page.getByRole('combobox', { name: new RegExp(`^${name}`) }).fill(value)
    await use.page.getByRole('button', { name: 'Get the prompt' }).click()
    await use.result.getByText(text).first().waitFor()
  })

  testOf('tasks')('a call that waits for a task asks, and is under Tasks', async () => {
    const { tool, answer, shows: text } = vocabulary.task
    await use.call(vocabulary.task)
    await use.choose('Tasks', tool)
    const question = use.page.getByRole('region', { name: 'The server asks for input' })
    await question.getByRole('button', { name: 'Answer' }).click()
    await use.answer(question, answer)
    await use.page.locator('.detail .badge', { hasText: 'completed' }).first().waitFor()
    await use.choose('Tools', tool)
    await use.result.getByText(text).first().waitFor()
  })

  testOnce('raw messages: the methods of the revision, sent as they are, translated, as notifications, and again', async () => {
    await use.send('Request', 'tools/list')
    await use.succeeds()
    const methods = await use.page.locator('#methods option').evaluateAll((list) => list.map((one) => one.getAttribute('value')))
    expect(methods.includes('initialize')).toBe(isLegacy)
    expect(methods.includes('server/discover')).toBe(!isLegacy)
    if (isLegacy) {
      await use.send('Request', 'ping')
      await use.succeeds()
      await use.send('Request of the newest revision, translated', 'prompts/list')
      await use.succeeds()
    }
    await use.send('Notification', 'notifications/example', { text: 'hello' })
    await use.succeeds()
    await use.message('notifications/example')
    const { tool, fill = {}, shows: text } = vocabulary.form
    const args = Object.fromEntries(Object.entries(fill).map(([name, value]) => [name, Number(value)]))
    await use.send('Request', 'tools/call', { name: tool, arguments: args })
    await use.result.getByText(text).first().waitFor()
    await use.page.locator('.history .item', { hasText: 'tools/list' }).click()
    await use.page.getByRole('button', { name: 'Send', exact: true }).click()
    await use.result.getByText(`"${tool}"`).first().waitFor()
  })
}
