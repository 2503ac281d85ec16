import { fileURLToPath } from 'node:url'
import { type Client, connect } from 'portcall/client'
import { events } from 'portcall/events/client'
import { accessRules, createGateway } from 'portcall/gateway'
import { serve } from 'portcall/node'
import { memoryStores } from 'portcall/stores'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { compileProgram } from '../support/compile.ts'
import { freePort } from '../support/free-port.mjs'
import { createShop } from './support/create-shop.ts'

const PROGRAM = fileURLToPath(new URL('./support/shop.ts', import.meta.url))
const MODES = ['poll', 'push'] as const

/** A server over HTTP that can be stopped, and started again with what it has stored. */
async function startHttp() {
  const stores = memoryStores()
  const port = await freePort()
  const start = () => serve(createShop('http', stores), { port, handleProcessSignals: false, drainTimeoutMs: 0 })
  let running = await start()
  onTestFinished(() => running.close())
  return {
    url: running.url,
    stop: () => running.close(),
    async start() {
      running = await start()
    },
  }
}

/** A gateway over HTTP, of a server over HTTP and a program, and a client of it. */
async function openGateway() {
  const http = await startHttp()
  const gateway = createGateway({
    servers: { http: http.url, program: { command: process.execPath, args: [await compileProgram(PROGRAM)] } },
    policy: accessRules({ default: 'allow', rules: [{ events: '*.internal', do: 'deny' }] }),
  })
  const { url, close } = await serve(gateway, { port: 0, handleProcessSignals: false, drainTimeoutMs: 0 })
  const client = await connect(url, { extensions: [events({ minPollDelayMs: 20 })] })
  onTestFinished(async () => {
    await client.close()
    await close()
    await gateway.close()
  })
  return { http, gateway, url, client }
}

const order = (client: Client, server: string, id: string) => client.callTool(`${server}__order`, { id })

test.each(MODES)('events of the same name of two servers arrive by %s, each under the name of its server', async (mode) => {
  const { client } = await openGateway()
  const received: string[] = []
  for (const server of ['http', 'program'])
    await client.events.on(`${server}__order.created`, {}, ({ name, data }) => void received.push(`${name} ${String(data.id)}`), {
      mode,
    })
  await order(client, 'http', '1')
  await order(client, 'program', '2')
  await order(client, 'http', '3')
  await eventually(() =>
    expect(received.toSorted()).toEqual(['http__order.created 1', 'http__order.created 3', 'program__order.created 2']),
  )
})

test.each(MODES)('a client continues by %s at its cursor when the server was restarted', async (mode) => {
  const { http, client } = await openGateway()
  const received: string[] = []
  const errors: unknown[] = []
  const subscription = await client.events.on('http__order.created', {}, ({ data }) => void received.push(String(data.id)), {
    mode,
    onError: (error) => errors.push(error),
  })
  await order(client, 'http', '1')
  await eventually(() => expect(received).toEqual(['1']))
  await http.stop()
  await eventually(() => expect(errors.length).toBeGreaterThan(0))
  // The gateway keeps the stream of the client, and opens that of the server again.
  expect(subscription.status).toBe(mode === 'push' ? 'active' : 'retrying')
  await http.start()
  await eventually(() => order(client, 'http', '2'))
  await eventually(() => expect(received).toEqual(['1', '2']))
  await subscription.close()
})

test('a client learns of the gap when a program was restarted without its events, and receives new ones', async () => {
  const { client } = await openGateway()
  const received: string[] = []
  let gaps = 0
  await client.events.on('program__order.created', {}, ({ data }) => void received.push(String(data.id)), {
    mode: 'push',
    onGap: () => gaps++,
    onError: () => {},
  })
  await order(client, 'program', '1')
  await eventually(() => expect(received).toEqual(['1']))
  await client.callTool('program__exit').catch(() => {})
  await eventually(() => expect(gaps).toBe(1))
  await order(client, 'program', '2')
  await eventually(() => expect(received).toEqual(['1', '2']))
})

test('the stream to the server ends with that of the client', async () => {
  const { client, gateway } = await openGateway()
  const subscription = await client.events.on('program__order.created', {}, () => {}, { mode: 'push' })
  expect(gateway.status().servers.program?.inFlight).toBe(1)
  await subscription.close()
  await eventually(() => expect(gateway.status().servers.program?.inFlight).toBe(0))
})

test('an event type that is denied is neither listed nor known', async () => {
  const { client } = await openGateway()
  const types = await client.events.list().toArray()
  expect(types.map(({ name }) => name)).toEqual(['http__order.created', 'program__order.created'])
  await expect(client.events.on('http__order.internal', {}, () => {})).rejects.toMatchObject({ reason: 'unknown_event' })
  for (const method of ['events/poll', 'events/stream'])
    await expect(client.request(method, { name: 'http__order.internal', arguments: {}, cursor: null })).rejects.toMatchObject({
      code: -32023,
      data: { kind: 'event' },
    })
})

test('a client of 2025-11-25 is not offered events', async () => {
  const { url } = await openGateway()
  await using client = await connect(url, { protocolVersion: '2025-11-25' })
  const { capabilities } = await client.discover()
  expect(capabilities?.extensions ?? {}).not.toHaveProperty(['io.modelcontextprotocol/events'])
  await expect(client.request('events/list', {})).rejects.toMatchObject({ code: -32601 })
  expect(await client.tools().toArray()).toHaveLength(4)
})
