import { createServer, type Server } from 'portcall'
import { connect } from 'portcall/client'
import { createGateway } from 'portcall/gateway'
import { serve } from 'portcall/node'
import { memoryStores } from 'portcall/stores'
import { tasks } from 'portcall/tasks'
import { tasks as clientTasks, type TaskHandle } from 'portcall/tasks/client'
import { describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { readEvents } from '../support/sse.ts'

/** A client that answers the questions of tasks. Its methods reject with the error of the gateway. */
interface TaskPeer {
  start(tool: string): Promise<string>
  statusOf(taskId: string): Promise<unknown>
  cancel(taskId: string): Promise<unknown>
  /** Resolves to the text of the result. */
  resultOf(taskId: string): Promise<string>
}

async function openModern(url: string): Promise<TaskPeer> {
  const client = await connect(url, {
    protocolVersion: '2026-07-28',
    extensions: [clientTasks()],
    elicit: () => ({ name: 'Ada' }),
  })
  onTestFinished(() => client.close())
  return {
    start: async (tool) => ((await client.tasks.start(tool)) as TaskHandle).taskId,
    statusOf: async (taskId) => (await client.tasks.open(taskId).get()).status,
    cancel: (taskId) => client.tasks.open(taskId).cancel(),
    resultOf: async (taskId) => JSON.stringify((await client.tasks.open(taskId).result()).content),
  }
}

interface RawMessage {
  readonly id?: unknown
  readonly method?: string
  readonly result?: { readonly [member: string]: any }
  readonly error?: object & { readonly message: string }
}

async function* messagesOf(response: Response): AsyncGenerator<RawMessage> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) yield (await response.json()) as RawMessage
  else if (response.body) for await (const { data } of readEvents(response.body)) if (data) yield JSON.parse(data) as RawMessage
}

/** Sends the messages of the revision as they are. Clients of this library start no tasks of tools that do not list support for them. */
async function openLegacy(url: string): Promise<TaskPeer> {
  let session = {}
  let lastId = 0
  const post = (message: object): Promise<Response> => {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...session }
    return fetch(url, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...message }) })
  }
  const request = async (method: string, params: object): Promise<{ readonly [member: string]: any }> => {
    const id = ++lastId
    const response = await post({ id, method, params })
    const sessionId = response.headers.get('mcp-session-id')
    if (sessionId !== null) session = { 'mcp-session-id': sessionId, 'mcp-protocol-version': '2025-11-25' }
    for await (const message of messagesOf(response)) {
      if (message.method === 'elicitation/create')
        await post({ id: message.id, result: { action: 'accept', content: { name: 'Ada' } } })
      if (message.error) throw Object.assign(new Error(), message.error)
      if (message.result && message.id === id) return message.result
    }
    throw new Error(`${method} was not answered`)
  }
  const clientInfo = { name: 'raw', version: '1' }
  await request('initialize', { protocolVersion: '2025-11-25', capabilities: { elicitation: {} }, clientInfo })
  await post({ method: 'notifications/initialized' })
  return {
    start: async (name) => (await request('tools/call', { name, arguments: {}, task: {} })).task.taskId,
    statusOf: async (taskId) => (await request('tasks/get', { taskId })).status,
    cancel: (taskId) => request('tasks/cancel', { taskId }),
    resultOf: async (taskId) => JSON.stringify((await request('tasks/result', { taskId })).content),
  }
}

const PEERS = { '2025-11-25': openLegacy, '2026-07-28': openModern }

/** A server with tools that run as tasks: one asks, one waits until it is cancelled, one is forgotten soon. */
function createTaskServer(report: (what: 'started' | 'aborted') => void): Server {
  const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const
  return createServer(
    { name: 'later', version: '1' },
    { extensions: [tasks({ limits: { maxClockSkewMs: 0, pollIntervalMs: 20 } })] },
  )
    .tool('asks', { task: 'optional' }, async (_input, call) => `Hello, ${(await call.elicit('Name?', schema)).name}`)
    .tool('waits', { task: 'optional' }, async (_input, call) => {
      report('started')
      await new Promise((resolve) => call.signal.addEventListener('abort', resolve))
      report('aborted')
      return 'never'
    })
    .tool('expires', { task: { support: 'optional', ttlMs: 50 } }, () => 'soon')
}

describe.each(Object.entries(PEERS).flatMap(([client, open]) => Object.keys(PEERS).map((server) => ({ client, server, open }))))(
  'a task of a client of $client at a server of $server',
  ({ server: protocolVersion, open }) => {
    test('asks, is cancelled, expires, and outlives the gateway that started it', async () => {
      const reports: string[] = []
      const server = createTaskServer((what) => reports.push(what))
      const behind = await serve(server, { port: 0, handleProcessSignals: false, drainTimeoutMs: 0 })
      onTestFinished(async () => {
        await behind.close()
        await server.close()
      })
      const stores = memoryStores()
      const startGateway = async () => {
        const gateway = createGateway({
          servers: { later: { target: behind.url, protocolVersion }, other: createServer({ name: 'other', version: '1' }) },
          stores,
        })
        const front = await serve(gateway, { port: 0, handleProcessSignals: false, drainTimeoutMs: 0, stores })
        const close = async (): Promise<void> => {
          await front.close()
          await gateway.close()
        }
        onTestFinished(close)
        return { url: front.url, close }
      }
      const first = await startGateway()
      const peer = await open(first.url)
      expect(await peer.resultOf(await peer.start('later__asks'))).toContain('Hello, Ada')

      const waiting = await peer.start('later__waits')
      await eventually(() => expect(reports).toEqual(['started']))
      expect(await peer.statusOf(waiting)).toBe('working')
      await peer.cancel(waiting)
      await eventually(async () => expect(await peer.statusOf(waiting)).toBe('cancelled'))
      await eventually(() => expect(reports).toEqual(['started', 'aborted']))
      await expect(peer.resultOf(waiting)).rejects.toThrow(/cancelled/)

      const expiring = await peer.start('later__expires')
      await eventually(() => expect(peer.statusOf(expiring)).rejects.toMatchObject({ code: -32602 }))

      const asking = await peer.start('later__asks')
      await first.close()
      const next = await open((await startGateway()).url)
      expect(await next.resultOf(asking)).toContain('Hello, Ada')
    })
  },
)
