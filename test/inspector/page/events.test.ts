/** Events on the page: subscriptions by each delivery mode, the verdict on signatures, and a delivery that is replayed. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, Page } from 'playwright-core'
import { createServer } from 'portcall'
import { apiKeys, createApiKey, protect } from 'portcall/auth/server'
import { events } from 'portcall/events'
import { serve } from 'portcall/node'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { openInspector, startBrowser } from './support/inspector.ts'
import { createServerPage } from './support/server-page.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const BODY = '{"eventId":"forged","name":"order.created","timestamp":"2026-11-28T10:00:00Z","data":{}}'

let browser: Browser
beforeAll(async () => {
  browser = await startBrowser()
})
afterAll(() => browser.close())

/** Starts a shop whose events only the owner of a key gets. */
async function startShop(allow: readonly string[] = ['127.0.0.1']) {
  const server = createServer({ name: 'shop', version: '1' }, { extensions: [events({ webhooks: { allow } })] })
  const created = server.event('order.created', {
    description: 'A customer has placed an order.',
    input: z.object({ region: z.enum(['eu', 'us']) }),
    payload: z.object({ orderId: z.string() }),
  })
  const { key, hash } = await createApiKey()
  const keys = new Map([[hash, { hash, subject: 'ann', scopes: [] }]])
  const protection = protect({ resource: 'http://127.0.0.1:1/mcp', verify: apiKeys((one) => keys.get(one)) })
  const { url, close } = await serve(server, { port: 0, handleProcessSignals: false, drainTimeoutMs: 0, ...protection })
  onTestFinished(close)
  const { page } = await openInspector(browser, '--header', `Authorization: Bearer ${key}`, url)
  await createServerPage(page).choose('Events', 'order.created')
  return { created, page }
}

async function subscribe(page: Page, mode: string): Promise<void> {
  await page.getByLabel('region').selectOption('eu')
  await page.getByLabel('Delivery').selectOption(mode)
  await page.getByRole('button', { name: 'Subscribe', exact: true }).click()
}

test.each(['push', 'poll'])('an event that arrives by %s is shown with its id, its cursor and its time', async (mode) => {
  const { created, page } = await startShop()
  await subscribe(page, mode)
  const subscription = page.getByRole('region', { name: `Subscription by ${mode}` })
  await subscription.getByText('Waiting for events.').waitFor()
  await created.emit({ orderId: '7731' }, { eventId: 'ord-7731' })
  await subscription.getByText(/ord-7731 · cursor \S+/).waitFor()
  await subscription.getByRole('button', { name: 'Unsubscribe' }).click()
  await subscription.getByText('ended', { exact: true }).waitFor()
})

test('the arguments are validated as those of tools are', async () => {
  const { page } = await startShop()
  await page.getByRole('button', { name: 'Subscribe', exact: true }).click()
  await page.getByRole('button', { name: 'Subscribe anyway' }).waitFor()
  expect(await page.getByRole('region', { name: /^Subscription/ }).count()).toBe(0)
})

test('a webhook delivery is shown with the verdict on its signature, and dropped when it is replayed', async () => {
  const { created, page } = await startShop()
  await subscribe(page, 'webhook')
  await page.getByText("events({ webhooks: { allow: ['127.0.0.1'] } })").waitFor()
  const subscription = page.getByRole('region', { name: 'Subscription by webhook' })
  await subscription.getByText('verification').waitFor()
  await created.emit({ orderId: '7731' }, { eventId: 'ord-7731' })
  await subscription.getByText(/ord-7731/).waitFor()
  expect(await subscription.getByText('signature valid').count()).toBe(2)
  await subscription.getByRole('button', { name: 'Replay' }).first().click()
  await subscription.getByText('dropped: repeated id').waitFor()
  await subscription.getByText('replayed').waitFor()

  const url = (await subscription.locator('code').first().textContent()) ?? ''
  const now = String(Math.floor(Date.now() / 1000))
  const signed = { 'content-type': 'application/json', 'webhook-id': 'forged', 'x-mcp-subscription-id': 'sub_x' }
  const signature = `v1,${Buffer.alloc(32).toString('base64')}`
  const send = (headers: Record<string, string>) => fetch(url, { method: 'POST', headers: { ...signed, ...headers }, body: BODY })
  expect((await send({ 'webhook-timestamp': now, 'webhook-signature': signature })).ok).toBe(false)
  await subscription.getByText('signature mismatch').waitFor()
  await subscription.getByText(/the sender has another secret/).waitFor()
  await send({ 'webhook-timestamp': '1', 'webhook-signature': signature })
  await subscription.getByText(/compare the clocks/).waitFor()
  await send({})
  await subscription.getByText('signature malformed').waitFor()

  await page.evaluate(AXE)
  const violations = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> }
    }
    return (await axe.run()).violations.map(({ id, nodes }) => `${id} ${nodes[0]?.html}`)
  })
  expect(violations).toEqual([])
  if (process.env.SCREENSHOT) await page.screenshot({ path: process.env.SCREENSHOT })
  const message = await createServerPage(page).openMessage('events/subscribe')
  await message.getByText('order.created').first().waitFor()
  await message
    .getByText(/whsec_••••/)
    .first()
    .waitFor()
  expect(await page.content()).not.toMatch(/whsec_\w/)
})

test('a server that refuses addresses of this machine says so', async () => {
  const { page } = await startShop([])
  await subscribe(page, 'webhook')
  const subscription = page.getByRole('region', { name: 'Subscription by webhook' })
  await subscription.getByText('failed', { exact: true }).waitFor()
  await subscription.getByText(/is a loopback address/).waitFor()
})
