/**
 * Eleven tasks, each done with one page of the documentation: the programs in tasks/ use what the page shows, and run with the packed
 * library.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { bearerToken } from 'portcall/auth/client'
import { authorizationServer, textOf } from 'portcall/testing'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { connectForTest, run, start } from './support/project.ts'

/** The programs of each task, and the page that its reader has open. */
const TASKS: Readonly<Record<string, { page: string; programs: readonly string[] }>> = {
  'a tool with typed input and output': { page: 'servers/tools', programs: ['typed-tool.ts'] },
  'ask the user for confirmation': { page: 'servers/elicitation-sampling-roots', programs: ['elicitation.ts'] },
  'require access tokens, and a scope per tool': { page: 'authorization/protect-a-server', programs: ['jwt-scopes.ts'] },
  'accept API keys': { page: 'authorization/api-keys', programs: ['api-keys.ts'] },
  'a background task that survives a crash': { page: 'servers/tasks', programs: ['durable-tasks.ts', 'task-client.ts'] },
  'a resource template with completion': { page: 'servers/resources', programs: ['completion.ts'] },
  'a client that answers sampling requests': { page: 'clients/server-requests', programs: ['sampling-client.ts'] },
  'a client of several servers': { page: 'clients/multiple-servers', programs: ['several-servers.ts'] },
  'a test': { page: 'tools/testing', programs: ['greeter.test.ts'] },
  'an endpoint in an Express app': { page: 'deployment/express', programs: [] },
  'a Cloudflare Worker': { page: 'deployment/cloudflare-workers', programs: [] },
}

const read = (path: string): string => readFileSync(fileURLToPath(new URL(path, import.meta.url)), 'utf8')
const docs = (page: string): string => read(`../../docs/${page}.md`)
/** Every reader has followed the quick start, and knows where to import from. */
const KNOWN = docs('get-started/first-server') + docs('get-started/first-client') + docs('get-started/installation')

/** Returns the names that a program imports from the library. */
function importsOf(program: string): string[] {
  const imports = read(`./tasks/${program}`).matchAll(/import \{ (.*) \} from 'portcall/g)
  return [...imports].flatMap(([, names = '']) => names.split(', '))
}

describe('the pages show what the tasks need', () => {
  test('eleven tasks', () => expect(Object.keys(TASKS)).toHaveLength(11))
  test.each(Object.entries(TASKS))('%s', (_task, { page, programs }) => {
    const text = docs(page)
    const missing = programs
      .flatMap(importsOf)
      .filter((name) => ![text, KNOWN].some((known) => new RegExp(`\\b${name}\\b`).test(known)))
    expect(missing).toEqual([])
  })
})

const textsOf = (json: string): unknown => JSON.parse(json).map(({ text }: { text: string }) => text)

test('a tool with typed input and output', async () => {
  const { url } = await start('tasks/typed-tool.ts')
  const client = await connectForTest(url)
  expect(await client.tools().toArray()).toMatchObject([{ name: 'area', outputSchema: { required: ['area'] } }])
  expect((await client.callTool('area', { width: 3, height: 4 })).structuredContent).toEqual({ area: 12 })
  expect((await client.callTool('area', { width: 'wide', height: 4 })).isError).toBe(true)
})

test.each(['2026-07-28', '2025-06-18'])('ask the user for confirmation, %s', async (protocolVersion) => {
  const { url } = await start('tasks/elicitation.ts')
  const questions: string[] = []
  const elicit = ({ message }: { message: string }) => {
    questions.push(message)
    return { sure: questions.length > 1 }
  }
  const client = await connectForTest(url, { protocolVersion, elicit })
  expect(textOf(await client.callTool('delete', { path: 'a.txt' }))).toBe('Kept a.txt')
  expect(textOf(await client.callTool('delete', { path: 'b.txt' }))).toBe('Deleted b.txt')
  expect(questions).toEqual(['Delete a.txt?', 'Delete b.txt?'])
})

test('require access tokens, and a scope per tool', async () => {
  const login = await authorizationServer()
  onTestFinished(() => login.close())
  const { url } = await start('tasks/jwt-scopes.ts', { env: { ISSUER: login.issuer } })
  await expect(connectForTest(url)).rejects.toThrow('401')
  const token = await login.issue({ subject: 'ada', resources: [url], scopes: ['notes:read'] })
  const client = await connectForTest(url, { auth: bearerToken(() => token) })
  expect(textOf(await client.callTool('list'))).toBe('Notes of ada')
  await expect(client.callTool('erase')).rejects.toThrow()
})

test('accept API keys', async () => {
  const { url, printed } = await start('tasks/api-keys.ts')
  const key = printed().trim()
  await expect(connectForTest(url, { auth: bearerToken(() => `${key}x`) })).rejects.toThrow('401')
  const client = await connectForTest(url, { auth: bearerToken(() => key) })
  expect(textOf(await client.callTool('whoami'))).toBe('You are ada')
})

test('a background task that survives a crash', async () => {
  const first = await start('tasks/durable-tasks.ts')
  const { stdout } = await run('tasks/task-client.ts', { args: ['start'], env: { PORT: String(first.port) } })
  const id = stdout.trim()
  await first.stop('SIGKILL')
  writeFileSync(`${inject('project')}/ready`, '')
  const second = await start('tasks/durable-tasks.ts')
  const ended = await run('tasks/task-client.ts', { args: ['result', id], env: { PORT: String(second.port) } })
  const [text] = textsOf(ended.stdout) as [string]
  const [, startedBy, finishedBy] = /^Started by (\d+), finished by (\d+)$/.exec(text) ?? []
  expect(finishedBy).toBe(second.printed().trim())
  expect([first.printed().trim(), finishedBy]).toContain(startedBy)
})

test('a resource template with completion', async () => {
  const { url } = await start('tasks/completion.ts')
  const client = await connectForTest(url)
  expect((await client.readResource('book://dune')).contents).toMatchObject([{ text: 'Dune, 412 pages' }])
  const { values } = await client.complete({ type: 'ref/resource', uri: 'book://{id}' }, { name: 'id', value: 'e' })
  expect(values).toEqual(['emma'])
})

test('a client that answers sampling requests', async () => {
  expect(textsOf((await run('tasks/sampling-client.ts')).stdout)).toEqual(['A poem for 1 message'])
})

test('a client of several servers', async () => {
  const { port } = await start('tasks/typed-tool.ts')
  const { stdout } = await run('tasks/several-servers.ts', { env: { PORT: String(port) } })
  expect(JSON.parse(stdout)).toEqual({ names: ['poet__haiku', 'shapes__area'], structuredContent: { area: 12 } })
})

test('a test', async () => {
  expect((await run('tasks/greeter.test.ts', { nodeArgs: ['--test'] })).stdout).toContain('# pass 1')
})

test('an endpoint in an Express app', async () => {
  const { url, stop } = await start('deployment-express/express.ts')
  const client = await connectForTest(url, { elicit: () => ({ name: 'Ada' }) })
  expect(textOf(await client.callTool('greet'))).toBe('Hello, Ada!')
  await client.close()
  expect((await stop()).code).toBe(0)
})

test('a Cloudflare Worker', async () => {
  const worker = await import(`${inject('project')}/deployment-cloudflare-workers/src/index.js`)
  const list = (host: string): Promise<Response> =>
    worker.default.fetch(
      new Request(`https://${host}/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
      }),
    )
  expect((await list('mcp.example.com')).status).toBe(200)
  expect((await list('evil.example')).status).toBe(403)
})
