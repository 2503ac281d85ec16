/** The code of docs/deployment/ with the real frameworks. Bun, Deno and Workers are tested in test/runtimes. */
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { connect } from 'portcall/client'
import { textOf } from 'portcall/testing'
import { describe, expect, onTestFinished, test } from 'vitest'

/** What the frameworks return: a `node:http` server that listens or starts listening. */
interface Listening {
  readonly listening: boolean
  address(): AddressInfo | string | null
  once(event: 'listening', listener: () => void): unknown
  close(): unknown
}

async function urlOf(server: Listening): Promise<string> {
  if (!server.listening) await new Promise<void>((resolve) => server.once('listening', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
}

async function greet(url: string, protocolVersion: string): Promise<string> {
  const client = await connect(url, { protocolVersion })
  onTestFinished(() => client.close())
  return textOf(await client.callTool('greet', { name: 'Ada' }))
}

async function introduce(url: string, protocolVersion: string): Promise<string> {
  const client = await connect(url, { protocolVersion, elicit: () => ({ name: 'Ada' }) })
  onTestFinished(() => client.close())
  return textOf(await client.callTool('introduce'))
}

const REVISIONS = ['2026-07-28', '2025-11-25']
const FRAMEWORKS: Record<string, () => Promise<{ listening: Listening }>> = {
  express: () => import('./deploying/express.ts'),
  'express with express.json()': () => import('./deploying/express-json.ts'),
  fastify: () => import('./deploying/fastify.ts') as Promise<{ listening: Listening }>,
  koa: () => import('./deploying/koa.ts'),
  hono: async () => (await import('./deploying/hono.ts')) as unknown as { listening: Listening },
}

describe.each(Object.entries(FRAMEWORKS))('%s', (_name, load) => {
  test.each(REVISIONS)('answers calls and requests input, %s', async (revision) => {
    const url = await urlOf((await load()).listening)
    expect(await greet(url, revision)).toBe('Hello, Ada!')
    expect(await introduce(url, revision)).toBe('Hello, Ada!')
  })
})

test('Node alone', async () => {
  const { serving } = await import('./deploying/node.ts')
  for (const revision of REVISIONS) expect(await introduce(serving.url, revision)).toBe('Hello, Ada!')
  await serving.close()
})

test('route handlers of any framework', async () => {
  const route = await import('./deploying/route.ts')
  const fetch = (request: Request): Promise<Response> => route[request.method as 'GET' | 'POST' | 'DELETE'](request)
  const listening = serve({ fetch, port: 0, hostname: '127.0.0.1' })
  onTestFinished(() => void listening.close())
  const url = await urlOf(listening as unknown as Listening)
  for (const revision of REVISIONS) expect(await greet(url, revision)).toBe('Hello, Ada!')
  expect(await introduce(url, '2026-07-28')).toBe('Hello, Ada!')
})
