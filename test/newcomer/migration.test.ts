/** The code of the migration guides: the programs of the other library and of Portcall behave the same. */
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect } from 'portcall/client'
import { textOf } from 'portcall/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { shop as useByPortcall } from '../../examples/migration-client.ts'
import { start as startPortcall } from '../../examples/migration-server.ts'
import { freePort } from '../support/free-port.mjs'
import * as fastmcp from './from/fastmcp-server.ts'
import { shop as useBySdk1 } from './from/sdk-1-client.ts'
import { start as startSdk1 } from './from/sdk-1-server.ts'
import { shop as useBySdk2 } from './from/sdk-2-client.ts'
import { start as startSdk2 } from './from/sdk-2-server.ts'

async function urlOf(server: Server): Promise<string> {
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  if (!server.listening) await new Promise((resolve) => server.once('listening', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
}

/** The same server with each library. */
const SERVERS: Record<string, () => Promise<string>> = {
  portcall: async () => {
    const { url, close } = await startPortcall(0)
    onTestFinished(close)
    return url
  },
  'the official SDK 1': () => urlOf(startSdk1(0)),
  'the official SDK 2': () => urlOf(startSdk2(0)),
  fastmcp: async () => {
    const port = await freePort()
    await fastmcp.start(port)
    onTestFinished(fastmcp.stop)
    return `http://127.0.0.1:${port}/mcp`
  },
}

test.each(Object.entries(SERVERS))('the shop on %s', async (_name, start) => {
  const client = await connect(await start(), { elicit: () => ({ name: 'Ada' }) })
  onTestFinished(() => client.close())
  expect((await client.callTool('divide', { a: 6, b: 3 })).structuredContent).toEqual({ quotient: 2 })
  const failed = await client.callTool('divide', { a: 6, b: 0 })
  expect([failed.isError, textOf(failed)]).toEqual([true, expect.stringContaining('b must not be 0')])
  const steps: number[] = []
  const onProgress = ({ progress }: { progress: number }): void => void steps.push(progress)
  expect(textOf(await client.callTool('count', { to: 3 }, { onProgress }))).toBe('Counted to 3')
  expect(steps).toEqual([1, 2, 3])
  expect(textOf(await client.callTool('greet'))).toBe('Hello, Ada!')
  expect((await client.readResource('note://7')).contents).toMatchObject([{ text: 'Note 7' }])
  const { messages } = await client.getPrompt('review', { code: '1+1' })
  expect(messages).toMatchObject([{ role: 'user', content: { text: 'Review this: 1+1' } }])
})

describe('the customer on', () => {
  const CLIENTS = { portcall: useByPortcall, 'the official SDK 1': useBySdk1, 'the official SDK 2': useBySdk2 }
  test.each(Object.entries(CLIENTS))('%s', async (_name, shop) => {
    const { url, close } = await startPortcall(0)
    onTestFinished(close)
    expect(await shop(url)).toEqual([
      3,
      { quotient: 2 },
      [1, 2, 3],
      [{ type: 'text', text: 'Hello, Ada!' }],
      [{ uri: 'note://7', mimeType: 'text/plain', text: 'Note 7' }],
    ])
  })
})
