/** Tasks of the official SDK 1.x: the Portcall client against server-everything, and the official client against a Portcall server. */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { Client as OfficialClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { createServer } from 'portcall'
import { type Client, connect } from 'portcall/client'
import { serve } from 'portcall/node'
import { tasks as servedTasks } from 'portcall/tasks'
import { type ClientTasks, type TaskHandle, tasks } from 'portcall/tasks/client'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import * as z from 'zod'
import { choosePort } from './servers/listen.ts'
import { kill, mark, type Program } from './servers/programs.ts'

type TasksClient = Client & { readonly tasks: ClientTasks }

const program = (inject('servers' as never) as Record<string, Program>).everything as Program
const QUERY = ['simulate-research-query', { topic: 'python', ambiguous: true }] as const

async function targetOf(transport: string) {
  const marked = mark(program, transport)
  if (transport === 'stdio' || 'missing' in marked) return marked
  const port = await choosePort()
  const env = { ...process.env, PORT: String(port) }
  const child = spawn(marked.command, marked.args, { stdio: ['ignore', 'ignore', 'pipe'], env })
  onTestFinished(() => kill(child))
  for await (const line of createInterface({ input: child.stderr })) if (line.includes('port')) break
  child.stderr.resume()
  return `http://127.0.0.1:${port}/mcp`
}

async function open(target: Awaited<ReturnType<typeof targetOf>>, listen: boolean): Promise<TasksClient> {
  const elicit = () => ({ interpretation: 'snake' })
  const client = await connect(target as string, { elicit, extensions: [tasks({ listen })] })
  onTestFinished(() => client.close())
  return client
}

describe.each([
  ['stdio', false],
  ['stdio', true],
  ['streamableHttp', false],
  ['streamableHttp', true],
] as const)('tasks of the official SDK over %s, listening: %s', (transport, listen) => {
  it('TSKL-006 TSKL-013 TSKL-016 TSKL-020 a call waits for its task and answers its input requests', async () => {
    const client = await open(await targetOf(transport), listen)
    const shown: unknown[] = []
    const { content } = await client.callTool(...QUERY, { onProgress: ({ message }) => shown.push(message) })
    expect(content[0]?.text).toContain('python (snake)')
    expect(shown).toContain('Gathering sources...')
  })

  it('TSKL-022 TSKL-023 a task is started, listed, opened by id and cancelled', async () => {
    const client = await open(await targetOf(transport), listen)
    const { taskId } = (await client.tasks.start(...QUERY)) as TaskHandle
    expect(await client.tasks.list().toArray()).toMatchObject([{ taskId, status: 'working', ttlMs: 300_000 }])
    const again = client.tasks.open(taskId)
    await again.cancel()
    await again.cancel()
    expect(await again.get()).toMatchObject({ status: 'cancelled' })
    await expect(again.result()).rejects.toMatchObject({ code: 'TASK_CANCELLED' })
  })
})

it('TSKL-010 TSKL-018 TSKL-020 the official client follows a task of a Portcall server and answers its input requests', async () => {
  const extensions = [servedTasks({ limits: { pollIntervalMs: 50 } })] as const
  const server = createServer({ name: 'ours', version: '1.0.0' }, { extensions })
  server.tool('greet', { task: 'required' }, async (_, call) => {
    const { name } = await call.elicit('Who?', z.object({ name: z.string() }))
    return `Hello, ${name}`
  })
  const serving = await serve(server, { port: 0, handleProcessSignals: false })
  onTestFinished(() => serving.close())
  const client: any = new OfficialClient({ name: 'theirs', version: '1.0.0' }, { capabilities: { elicitation: {} } })
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { name: 'Ada' } }))
  await client.connect(new StreamableHTTPClientTransport(new URL(serving.url)) as never)
  onTestFinished(() => client.close())
  await client.listTools()
  const messages: any[] = []
  for await (const message of client.experimental.tasks.callToolStream({ name: 'greet', arguments: {} })) messages.push(message)
  expect(messages.map(({ type, task }) => [type, task?.status])).toEqual(
    expect.arrayContaining([
      ['taskCreated', 'working'],
      ['taskStatus', 'input_required'],
    ]),
  )
  expect(messages.at(-1)).toMatchObject({ type: 'result', result: { content: [{ text: 'Hello, Ada' }] } })
})
