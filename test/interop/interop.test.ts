import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { CLIENTS, type Connected, type Target } from './clients.ts'

const program = inject('program')
let http: ChildProcess
let url: string

beforeAll(async () => {
  http = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(http.stdout as NodeJS.ReadableStream, 'data')) as [Buffer]
  url = line.toString().trim()
})
afterAll(async () => {
  http.kill('SIGTERM')
  await once(http, 'exit')
})

const TARGETS: Record<string, () => Target> = {
  stdio: () => ({ stdio: { command: process.execPath, args: [program, '--stdio'] } }),
  http: () => ({ url }),
  'http+sse': () => ({ url, sse: true }),
}

/** HTTP+SSE carries no envelope. */
const CASES = Object.keys(CLIENTS).flatMap((client) =>
  Object.keys(TARGETS)
    .filter((target) => !(client.endsWith('modern') && target === 'http+sse'))
    .map((target) => ({ client, target })),
)

describe.each(CASES)('the official client $client over $target', ({ client: line, target }) => {
  const modern = line.endsWith('modern')
  let connected: Connected
  let client: any

  beforeAll(async () => {
    connected = await (CLIENTS[line] as (target: Target) => Promise<Connected>)((TARGETS[target] as () => Target)())
    client = connected.client
  })
  afterAll(() => connected.close())

  const call = async (name: string, args = {}, options?: object): Promise<string> => {
    const params = { name, arguments: args }
    const result = await (line.startsWith('1') ? client.callTool(params, undefined, options) : client.callTool(params, options))
    return result.content[0].text
  }

  it('has the server info', () => {
    expect(client.getInstructions()).toBe('Made for other clients.')
    expect(client.getServerVersion()).toMatchObject({ name: 'interop' })
    if (!line.startsWith('1')) expect(client.getProtocolEra?.()).toBe(modern ? 'modern' : 'legacy')
  })

  it('lists and calls', async () => {
    expect((await client.listTools()).tools.map((tool: any) => tool.name)).toContain('add')
    const result = await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } })
    expect(result).toMatchObject({ structuredContent: { sum: 3 }, content: [{ type: 'text', text: '{"sum":3}' }] })
    expect((await client.callTool({ name: 'add', arguments: { a: 'x', b: 2 } })).isError).toBe(true)
    await expect(client.callTool({ name: 'nobody', arguments: {} })).rejects.toMatchObject({ code: -32602 })
  })

  it('receives progress', async () => {
    const progress: number[] = []
    expect(await call('count', {}, { onprogress: (update: any) => progress.push(update.progress) })).toBe('counted')
    expect(progress).toEqual([1, 2, 3])
  })

  it.runIf(!modern)('receives log messages of the level it sets', async () => {
    await client.setLoggingLevel('warning')
    expect(await call('chat')).toBe('chatted')
    await eventually(() =>
      expect(connected.notifications.filter(({ method }) => method === 'notifications/message')).toHaveLength(1),
    )
    expect(connected.notifications.find(({ method }) => method === 'notifications/message')?.params).toEqual({
      level: 'error',
      logger: 'chat',
      data: { loud: true },
    })
  })

  it('answers elicitation, sampling and roots, separately and together', async () => {
    expect(await call('greet')).toBe('Hello Ada, 36')
    expect(await call('think')).toBe('{"type":"text","text":"hi"}')
    expect(await call('where')).toBe('file:///work')
    expect(await call('both')).toBe('Ada in 1')
  })

  it('cancels', async () => {
    // On a slow machine the call may be cancelled before it reaches the server.
    await eventually(async () => {
      const before = Number(await call('cancelled'))
      const controller = new AbortController()
      const waiting = call('wait', {}, { signal: controller.signal })
      setTimeout(() => controller.abort(new Error('enough')), 100)
      await expect(waiting).rejects.toThrow()
      await expect.poll(async () => Number(await call('cancelled')), { timeout: 5000 }).toBe(before + 1)
    })
  })

  it('reads resources, templates and their lists', async () => {
    expect((await client.listResources()).resources.map((resource: any) => resource.uri)).toEqual(['memo://logo', 'memo://a'])
    expect((await client.listResourceTemplates()).resourceTemplates).toMatchObject([{ uriTemplate: 'memo://{name}' }])
    expect((await client.readResource({ uri: 'memo://b' })).contents[0]).toMatchObject({
      mimeType: 'text/plain',
      text: expect.stringContaining('b v'),
    })
    expect((await client.readResource({ uri: 'memo://logo' })).contents[0].blob).toBe('AQID')
    await expect(client.readResource({ uri: 'other://x' })).rejects.toMatchObject({
      code: line.startsWith('1') ? -32002 : -32602,
    })
  })

  it('gets prompts and completes their arguments', async () => {
    expect((await client.listPrompts()).prompts[0].arguments).toMatchObject([
      { name: 'code', required: true },
      { name: 'language' },
    ])
    expect((await client.getPrompt({ name: 'review', arguments: { code: 'x' } })).messages[0].content.text).toBe('Review x')
    const ref = { type: 'ref/prompt', name: 'review' }
    const argument = { name: 'language', value: 't' }
    expect((await client.complete({ ref, argument, context: { arguments: { code: 'tcl' } } })).completion.values).toEqual([
      'typescript',
      'tcl',
    ])
  })

  it('receives changes', async () => {
    const listening = modern
      ? await client.listen({ toolsListChanged: true, resourceSubscriptions: ['memo://a'] })
      : await client.subscribeResource({ uri: 'memo://a' })
    if (modern) expect(listening.honoredFilter).toMatchObject({ toolsListChanged: true, resourceSubscriptions: ['memo://a'] })
    await eventually(
      async () => {
        await call('change')
        const uris = connected.notifications
          .filter(({ method }) => method === 'notifications/resources/updated')
          .map(({ params }) => params.uri)
        expect(uris).toContain('memo://a')
      },
      { intervalMs: 3000 },
    )
    if (modern) await listening.close()
    else await client.unsubscribeResource({ uri: 'memo://a' })
  })

  it.runIf(!modern && target === 'http')('resumes a response after the server closed the stream', async () => {
    expect(await call('come-back')).toBe('came back')
  })
})
