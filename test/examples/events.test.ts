import { writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { generateKey, type Server } from 'portcall'
import type { JsonObject } from 'portcall/jsonrpc'
import { memoryStores } from 'portcall/stores'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { server as shop } from '../../examples/events.ts'
import { createBilling } from '../../examples/events-webhooks.ts'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { callerOf } from '../../packages/portcall/test-kit/server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folder = temporaryFolder(afterAll)
const SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='

/** Polls from now on. Returns what reads the data of the events since then. */
async function follow(server: Server, selection: JsonObject): Promise<() => Promise<unknown[]>> {
  onTestFinished(() => server.close())
  const caller = callerOf(server)
  const { cursor } = await caller.result('events/poll', selection)
  return async () => {
    const polled = await caller.result('events/poll', { ...selection, cursor })
    return (polled.events as JsonObject[]).map(({ data }) => data)
  }
}

test('events: a tool emits an event, and subscribers of its region receive it', async () => {
  const read = await follow(shop, { name: 'order.created', arguments: { region: 'eu' } })
  const caller = callerOf(shop)
  for (const region of ['us', 'eu']) await caller.result('tools/call', { name: 'place_order', arguments: { region } })
  expect(await read()).toEqual([{ orderId: '2', region: 'eu' }])
})

test('events-webhooks: only those who may see an account receive its events', async () => {
  const received: JsonObject[] = []
  const endpoint = createHttpServer(async (request, response) => {
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += chunk
    const body = JSON.parse(text) as JsonObject
    if (body.type === 'verification') return void response.end(JSON.stringify({ challenge: body.challenge }))
    received.push(body)
    response.end()
  })
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => endpoint.closeAllConnections())
  onTestFinished(() => void endpoint.close())
  const { server, paid } = createBilling(memoryStores(), [generateKey()], ['127.0.0.1'])
  onTestFinished(() => server.close())
  const caller = callerOf(server)
  const delivery = { mode: 'webhook', url: `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/`, secret: SECRET }
  const subscribe = (account: string) =>
    caller.request(
      'events/subscribe',
      { name: 'invoice.paid', arguments: { account }, cursor: null, delivery },
      { auth: { principal: 'ann' } },
    )
  expect(await subscribe('globex')).toMatchObject({ error: { code: -32024 } })
  expect(await subscribe('acme')).toMatchObject({ result: { id: expect.any(String) } })
  await paid.emit({ invoice: '1', account: 'globex' })
  await paid.emit({ invoice: '2', account: 'acme' })
  await eventually(() => expect(received.map(({ data }) => data)).toEqual([{ invoice: '2' }]))
})

test('events-files: a file that is written is an event', async () => {
  process.env.FOLDER = folder
  const { server } = await import('../../examples/events-files.ts')
  const read = await follow(server, { name: 'file.changed', arguments: { suffix: '.md' } })
  writeFileSync(join(folder, 'a.txt'), 'x')
  writeFileSync(join(folder, 'b.md'), 'x')
  await eventually(async () => expect(await read()).toContainEqual({ name: 'b.md' }))
  expect(await read()).not.toContainEqual({ name: 'a.txt' })
})
