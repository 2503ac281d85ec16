import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { CustomFetch, HttpFetch } from '../transports/http/client/types.ts'
import { connect } from './connect.ts'

const open = (fetch: unknown): Promise<unknown> => connect('http://127.0.0.1:9/mcp', { fetch: fetch as HttpFetch })
const transfer = (response: unknown) => () => ({ response, cancel() {} })

test.each([
  ['x', '"x"'],
  [42, '42'],
  [{}, 'an object'],
])('a fetch option that is no function is a TypeError: %j', async (fetch, what) => {
  const error = await open(fetch).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(TypeError)
  expect(String(error)).toContain(`connect(): fetch must be a function, not ${what}`)
})

test.each<[string, unknown, string]>([
  ['that returns nothing', () => {}, 'not undefined'],
  ['that returns a text', async () => 'x', 'not string'],
  ['that returns the body of a response', async () => ({ jsonrpc: '2.0' }), 'not an Object'],
  ['without a response', transfer(Promise.resolve(undefined)), 'not undefined'],
])('a fetch option %s is explained', async (_, fetch, what) => {
  const message = expect.stringContaining(
    `The option fetch must return a Response, or { response, cancel } as an HttpFetch does, ${what}`,
  )
  await expect(open(fetch)).rejects.toMatchObject({ code: 'INVALID_RESPONSE', message })
})

interface Origin {
  readonly url: string
  readonly requests: IncomingMessage[]
  /** Closed responses. */
  readonly closed: () => number
}

/** A server with a tool that sends a notification before its result, and one that never ends. */
async function startOrigin(): Promise<Origin> {
  const requests: IncomingMessage[] = []
  let closed = 0
  const server = createServer((request, response) => {
    let body = ''
    requests.push(request)
    response.on('close', () => closed++)
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
    request.on('end', () => {
      const { id, method, params } = JSON.parse(body)
      const send = (result: object): void => void response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`)
      if (method === 'server/discover') {
        response.setHeader('content-type', 'text/event-stream')
        return send({
          supportedVersions: ['2026-07-28'],
          capabilities: { tools: {} },
          serverInfo: { name: 'o', version: '1' },
          ttlMs: 0,
          cacheScope: 'private',
        })
      }
      if (params?.name === 'fail') return response.writeHead(503, { 'content-type': 'text/plain' }).end('overloaded')
      if (params?.name === 'moved') return response.writeHead(307, { location: 'http://127.0.0.1:9/' }).end()
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' })
      const gzip = createGzip()
      gzip.pipe(response)
      const progress = { progressToken: params._meta?.progressToken, progress: 1 }
      gzip.write(`data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params: progress })}\n\n`)
      gzip.flush()
      if (params?.name === 'wait') return
      const result = { content: [{ type: 'text', text: 'done' }], resultType: 'complete' }
      gzip.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`)
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, requests, closed: () => closed }
}

/** Functions that users pass. TypeScript accepts each as it is. */
const FETCHES: { readonly [name: string]: CustomFetch } = {
  'of the platform': globalThis.fetch,
  'around that of the platform': (url, init) => fetch(url, { ...init, headers: { ...init.headers, 'x-added': 'yes' } }),
  'that is asynchronous': async (url, init) => await fetch(url, init),
  'that reads a Request': (url, init) => fetch(new Request(url, init)),
  'that drops the signal': (url, { method, headers, body = null }) => fetch(url, { method, headers, body, redirect: 'manual' }),
  'with streams of Node, as node-fetch has them': async (url, init) => {
    const response = await fetch(url, init)
    return { status: response.status, headers: response.headers, body: response.body && Readable.fromWeb(response.body as never) }
  },
  'with a Response that was created from another one': async (url, init) => {
    const { body, status, headers } = await fetch(url, init)
    return new Response(body, { status, headers })
  },
}

describe.each(Object.entries(FETCHES))('a fetch option %s', (_, custom) => {
  test('streams, and passes headers on', async () => {
    const { url, requests } = await startOrigin()
    const client = await connect(url, { fetch: custom, headers: { 'x-user': 'ada' } })
    onTestFinished(() => client.close())
    const progress: number[] = []
    const onProgress = ({ progress: value }: { progress: number }): void => void progress.push(value)
    expect(await client.callTool('work', {}, { onProgress })).toMatchObject({ content: [{ text: 'done' }] })
    expect(progress).toEqual([1])
    expect(requests.at(-1)?.headers).toMatchObject({ 'x-user': 'ada', 'content-type': 'application/json' })
  })

  test('maps errors, and does not follow redirects', async () => {
    const { url } = await startOrigin()
    const client = await connect(url, { fetch: custom })
    onTestFinished(() => client.close())
    await expect(client.callTool('fail')).rejects.toMatchObject({ code: 'HTTP_STATUS', status: 503, body: 'overloaded' })
    await expect(client.callTool('moved')).rejects.toMatchObject({ code: 'HTTP_STATUS', status: 307 })
    await expect(connect('http://127.0.0.1:9/mcp', { fetch: custom })).rejects.toMatchObject({ code: 'CONNECTION_LOST' })
  })

  test('is cancelled', async () => {
    const { url } = await startOrigin()
    const client = await connect(url, { fetch: custom })
    onTestFinished(() => client.close())
    const abort = new AbortController()
    const reason = new Error('enough')
    const onProgress = (): void => abort.abort(reason)
    await expect(client.callTool('wait', {}, { signal: abort.signal, onProgress })).rejects.toBe(reason)
  })
})

test('the error of a fetch option is the cause of the connection error', async () => {
  const cause = new Error('no network')
  const fail = (): never => {
    throw cause
  }
  await expect(open(fail)).rejects.toMatchObject({ code: 'CONNECTION_LOST', cause })
})
