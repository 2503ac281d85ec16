/** Three processes of `portcall gateway` on one store behind a round-robin balancer: limits, approvals, pins and the audit log. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createServer } from 'portcall'
import { type Client, connect } from 'portcall/client'
import { serve } from 'portcall/node'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { startRedis } from '../support/services/redis.mjs'
import { startBalancer } from './support/balancer.ts'

const COMMAND = fileURLToPath(new URL('../../packages/portcall/dist/cli/main.js', import.meta.url))
/** The working directory: the packages of the stores are installed here. */
const HERE = fileURLToPath(new URL('.', import.meta.url))
const redis = await startRedis()
afterAll(() => redis?.stop())

/** The calls that the server behind the gateways has executed. */
interface Executed {
  readonly marks: string[]
  most: number
}

interface Fleet {
  readonly url: string
  readonly dir: string
  readonly executed: Executed
  readonly kill: () => void
  /** Changes the description of a tool, and tells the gateways. */
  readonly change: () => void
  run(...args: string[]): Promise<{ code: number | null; out: string; err: string }>
}

const output = async (child: ChildProcessWithoutNullStreams): Promise<{ code: number | null; out: string; err: string }> => {
  let [out, err] = ['', '']
  child.stdout.on('data', (text) => (out += text))
  child.stderr.on('data', (text) => (err += text))
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, out, err }
}

function createBox(executed: Executed) {
  let running = 0
  const note = (mark: unknown): string => {
    executed.marks.push(String(mark))
    return String(mark)
  }
  const input = { type: 'object', properties: { mark: { type: 'string' } } } as const
  return createServer({ name: 'box', version: '1' })
    .tool('note', { description: 'Notes something', input }, ({ mark }) => note(mark))
    .tool('rated', { input }, ({ mark }) => note(mark))
    .tool('erase', { input }, ({ mark }) => note(mark))
    .tool('slow', { input }, async ({ mark }) => {
      executed.most = Math.max(executed.most, ++running)
      await new Promise((resolve) => setTimeout(resolve, 20))
      running--
      return note(mark)
    })
}

const gateway = {
  policy: { default: 'allow', rules: [{ tools: 'box__erase', do: 'approve' }], approvals: { askUser: false } },
  limits: [
    { tools: 'box__rated', rate: { limit: 50, intervalMs: 3_600_000 } },
    { tools: 'box__slow', concurrency: { limit: 4, maxQueued: 100 } },
  ],
  pins: 'block',
  audit: { file: 'audit.jsonl', arguments: true },
}

async function startFleet(store: (dir: string) => string): Promise<Fleet> {
  const dir = await mkdtemp(join(tmpdir(), 'portcall-fleet-'))
  await mkdir(join(dir, 'home'))
  const executed: Executed = { marks: [], most: 0 }
  const box = createBox(executed)
  const served = await serve(box, { port: 0, handleProcessSignals: false, drainTimeoutMs: 0 })
  const file = join(dir, 'gateway.json')
  await writeFile(file, JSON.stringify({ mcpServers: { box: { url: served.url } }, gateway: { ...gateway, store: store(dir) } }))
  const env = { ...process.env, PORTCALL_HOME: join(dir, 'home') }
  const start = (args: string[]): ChildProcessWithoutNullStreams =>
    spawn(process.execPath, [COMMAND, ...args], { cwd: HERE, env })
  const children = Array.from({ length: 3 }, () => start(['gateway', '--config', file, '--port', '0']))
  const nodes = await Promise.all(
    children.map(
      (child) =>
        new Promise<{ url: string }>((resolve, reject) => {
          let text = ''
          child.stderr.on('data', (chunk) => (text += chunk))
          child.once('exit', () => reject(new Error(text)))
          child.stdout.on('data', (chunk) => {
            const [, url] = /Listening at (\S+)/.exec(String(chunk)) ?? []
            if (url !== undefined) resolve({ url })
          })
        }),
    ),
  )
  const balancer = await startBalancer(nodes)
  onTestFinished(async () => {
    for (const child of children) child.kill('SIGKILL')
    await balancer.close()
    await served.close()
    await rm(dir, { recursive: true, force: true })
  })
  return {
    url: balancer.url,
    dir,
    executed,
    kill() {
      nodes.shift()
      children[0]?.kill('SIGKILL')
    },
    change() {
      box.tools.remove('note')
      box.tool('note', { description: 'Notes something else', input: { type: 'object' } }, () => 'changed')
    },
    run: (...args) => output(start(args)),
  }
}

async function openClients(url: string, count: number): Promise<Client[]> {
  const clients = await Promise.all(Array.from({ length: count }, () => connect(url)))
  onTestFinished(() => Promise.all(clients.map((client) => client.close())).then(() => {}))
  return clients
}

interface Answer {
  readonly mark: string
  readonly text: string
}

/** Sends calls over all clients at the same time. Calls that fail have no answer. */
async function callAll(clients: readonly Client[], tool: string, count: number, name = tool): Promise<Answer[]> {
  const answers = Array.from({ length: count }, async (_, at) => {
    const mark = `${name} ${at}`
    const { content } = (await clients[at % clients.length]?.callTool(`box__${tool}`, { mark })) ?? { content: [] }
    return { mark, text: content[0]?.type === 'text' ? content[0].text : '' }
  })
  return (await Promise.allSettled(answers)).flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
}

const STORES = [
  { name: 'SQLite', store: (dir: string) => `sqlite:${join(dir, 'gateway.db')}`, isAvailable: true },
  { name: 'Redis', store: () => `${redis?.url}`, isAvailable: redis !== undefined },
]

describe.each(STORES)('three gateway processes on $name', ({ store, isAvailable }) => {
  test.skipIf(!isAvailable)('apply limits, approvals and pins as one', async () => {
    const { url, executed, run, dir, change } = await startFleet(store)
    const clients = await openClients(url, 6)
    const rated = await callAll(clients, 'rated', 150)
    expect(rated.filter(({ mark, text }) => text === mark)).toHaveLength(50)
    expect(rated.filter(({ text }) => text.includes('Rate limit exceeded'))).toHaveLength(100)
    expect(executed.marks).toHaveLength(50)

    expect((await callAll(clients, 'slow', 60)).filter(({ mark, text }) => text === mark)).toHaveLength(60)
    expect(executed.most).toBe(4)

    executed.marks.length = 0
    const erase = (): Promise<string[]> =>
      Promise.all(
        Array.from({ length: 30 }, async (_, at) => {
          const { content } = (await clients[at % 6]?.callTool('box__erase', { mark: 'once' })) ?? { content: [] }
          return content[0]?.type === 'text' ? content[0].text : ''
        }),
      )
    const waiting = (await erase()).map((text) => /request (\S+)\)/.exec(text)?.[1])
    expect(new Set(waiting).size).toBe(1)
    const approved = await run('gateway', 'approvals', 'approve', String(waiting[0]))
    expect(approved).toMatchObject({ code: 0, err: expect.stringContaining('Approved the tool erase of box') })
    expect((await erase()).filter((text) => text === 'once')).toHaveLength(1)
    expect(executed.marks).toEqual(['once'])

    expect(JSON.parse(await readFile(join(dir, 'portcall.lock'), 'utf8'))).toMatchObject({
      servers: { box: { tools: { note: {} } } },
    })
    change()
    await eventually(async () => expect(await listAll(url)).toEqual(new Set(['box__erase box__rated box__slow'])))
    expect(await run('audit', 'verify', join(dir, 'audit.jsonl'))).toMatchObject({ code: 0 })
  })

  test.skipIf(!isAvailable)('lose nothing that was acknowledged when one is killed, and the audit log stays intact', async () => {
    const { url, kill, run, dir } = await startFleet(store)
    const clients = await openClients(url, 6)
    const before = await callAll(clients, 'note', 20, 'before')
    const during = callAll(clients, 'note', 400, 'during')
    setTimeout(kill, 100)
    const answers = [...before, ...(await during), ...(await callAll(clients, 'note', 20, 'after'))]
    expect(answers.length).toBeGreaterThan(300)
    const log = join(dir, 'audit.jsonl')
    expect(await run('audit', 'verify', log)).toMatchObject({ code: 0, out: expect.stringContaining('is intact') })
    const recorded = new Set(
      (await readFile(log, 'utf8'))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).arguments?.mark),
    )
    expect(answers.filter(({ mark }) => !recorded.has(mark))).toEqual([])
    console.error(`${answers.length} of 440 calls were acknowledged, ${recorded.size} recorded`)
  })
})

/** Lists the tools several times, so that each process answers. Returns the different lists. */
async function listAll(url: string): Promise<Set<string>> {
  const clients = await openClients(url, 6)
  const lists = await Promise.all(clients.map((client) => client.tools().toArray()))
  return new Set(
    lists.map((tools) =>
      tools
        .map(({ name }) => name)
        .sort()
        .join(' '),
    ),
  )
}
