/** The Portcall client against server-everything, which was made to exercise clients and has different tools than the other servers. */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { type Change, type Client, type ClientEvent, connect } from 'portcall/client'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { choosePort } from './servers/listen.ts'
import { kill, mark, type Program, running } from './servers/programs.ts'

const program = (inject('servers' as never) as Record<string, Program>).everything as Program

/** How to connect to it, by its name of each transport. */
const PATHS: Record<string, string | undefined> = { stdio: undefined, streamableHttp: '/mcp', sse: '/sse' }

describe.each(Object.keys(PATHS))('server-everything over %s', (transport) => {
  const events: ClientEvent[] = []
  const ending: (() => Promise<void>)[] = []
  let client: Client
  let name = ''

  let port = 0
  const listen = async (): Promise<string> => {
    port ||= await choosePort()
    const { command, args } = mark(program, transport)
    const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, PORT: String(port) } })
    ending.push(() => kill(child))
    for await (const line of createInterface({ input: child.stderr })) if (line.includes('port')) break
    child.stderr.resume()
    return `http://127.0.0.1:${port}${PATHS[transport]}`
  }
  const text = async (tool: string, args = {}): Promise<string> => {
    const { content, isError } = await client.callTool(tool, args)
    expect(isError ?? false).toBe(false)
    return content.map((block) => block.text ?? '').join('\n')
  }

  beforeAll(async () => {
    const marked = mark(program, 'stdio')
    name = marked.mark
    client = await connect(transport === 'stdio' ? marked : await listen(), {
      elicit: ({ defaults }) => ({ ...defaults, name: 'Ada' }),
      elicitUrl: () => 'accept',
      sample: ({ maxTokens }) => ({ role: 'assistant', content: { type: 'text', text: `at most ${maxTokens}` }, model: 'm' }),
      roots: [{ uri: 'file:///work', name: 'work' }],
      logLevel: 'debug',
      onEvent: (event) => events.push(event),
    })
  })
  afterAll(async () => {
    for (const end of ending) await end()
  })

  it('has server info', async () => {
    const { serverInfo, instructions, capabilities } = await client.discover()
    expect(serverInfo).toMatchObject({ name: 'mcp-servers/everything', title: 'Everything Reference Server' })
    expect(instructions).toContain('Everything')
    expect(capabilities).toMatchObject({ tools: {}, prompts: {}, resources: { subscribe: true }, logging: {} })
  })

  it('lists tools, including those that depend on declared capabilities', async () => {
    const names = (await client.tools().toArray()).map((tool) => tool.name)
    expect(names).toEqual(
      expect.arrayContaining([
        'echo',
        'get-structured-content',
        'get-roots-list',
        'trigger-sampling-request',
        'trigger-url-elicitation',
      ]),
    )
  })

  it('calls tools and receives content of each kind', async () => {
    expect(await text('echo', { message: 'hö' })).toBe('Echo: hö')
    expect(await text('get-sum', { a: 1, b: 2 })).toContain('is 3')
    expect((await client.callTool('get-structured-content', { location: 'Chicago' })).structuredContent).toMatchObject({
      temperature: 36,
    })
    expect((await client.callTool('get-tiny-image')).content[1]).toMatchObject({ type: 'image', mimeType: 'image/png' })
    expect(
      (await client.callTool('get-resource-links', { count: 2 })).content.filter(({ type }) => type === 'resource_link'),
    ).toHaveLength(2)
    const embedded = await client.callTool('get-resource-reference', { resourceType: 'Text', resourceId: 1 })
    expect(embedded.content.find(({ type }) => type === 'resource')).toMatchObject({ resource: { uri: expect.any(String) } })
    const annotated = await client.callTool('get-annotated-message', { messageType: 'error' })
    expect(annotated.content[0]).toMatchObject({ annotations: { priority: 1, audience: ['user', 'assistant'] } })
    expect((await client.callTool('echo', { message: 1 })).isError).toBe(true)
  })

  it('receives progress', async () => {
    const progress: number[] = []
    await client.callTool(
      'trigger-long-running-operation',
      { duration: 0.3, steps: 3 },
      { onProgress: (update) => progress.push(update.progress) },
    )
    expect(progress).toEqual([1, 2, 3])
  })

  it('answers a form with all kinds of fields by its defaults', async () => {
    const answered = await text('trigger-elicitation-request')
    expect(answered).toContain('Name: Ada')
    expect(answered).toContain('Favorite Integer: 42')
    expect(answered).toContain('"titledMultipleSelectEnum": [\n      "fish-1"')
  })

  it('opens a page', async () => {
    expect(await text('trigger-url-elicitation', { url: 'https://example.com/page' })).toContain('completed the URL elicitation')
  })

  it('answers sampling and roots', async () => {
    expect(await text('trigger-sampling-request', { prompt: 'hi', maxTokens: 7 })).toContain('at most 7')
    expect(await text('get-roots-list')).toContain('file:///work')
  })

  it('reads resources and templates, and completes', async () => {
    const [first] = await client.resources().toArray()
    expect((await client.readResource(first?.uri ?? '')).contents[0]).toMatchObject({ uri: first?.uri, text: expect.any(String) })
    const templates = (await client.resourceTemplates().toArray()).map(({ uriTemplate }) => uriTemplate)
    expect(templates).toContain('demo://resource/dynamic/text/{resourceId}')
    expect((await client.readResource('demo://resource/dynamic/blob/2')).contents[0]).toMatchObject({ blob: expect.any(String) })
    const { values } = await client.complete(
      { type: 'ref/resource', uri: 'demo://resource/dynamic/text/{resourceId}' },
      { name: 'resourceId', value: '7' },
    )
    expect(values).toEqual(['7'])
  })

  it('gets prompts, and completes with the arguments already filled in', async () => {
    expect((await client.prompts().toArray()).map((prompt) => prompt.name)).toContain('completable-prompt')
    expect((await client.getPrompt('args-prompt', { city: 'Oslo' })).messages[0]?.content).toMatchObject({
      text: expect.stringContaining('Oslo'),
    })
    const ref = { type: 'ref/prompt', name: 'completable-prompt' } as const
    const { values } = await client.complete(ref, { name: 'name', value: 'A' }, { arguments: { department: 'Engineering' } })
    expect(values).toEqual(['Alice'])
  })

  it('receives updates of subscribed resources', async () => {
    const uri = 'demo://resource/dynamic/text/1'
    await using subscription = client.listen({ resourceSubscriptions: [uri] })
    expect(await subscription.acknowledged).toEqual({ resourceSubscriptions: [uri] })
    const first = subscription[Symbol.asyncIterator]().next()
    await client.callTool('toggle-subscriber-updates')
    expect((await first).value).toEqual({ type: 'resource', uri } satisfies Change)
    await client.callTool('toggle-subscriber-updates')
  })

  it('receives log messages that belong to no request', async () => {
    const about = (event: ClientEvent): string => JSON.stringify(event.type === 'log' && event.data)
    await eventually(() => expect(events.map(about)).toContainEqual(expect.stringMatching(/Roots updated/)))
  })

  it.runIf(transport === 'streamableHttp')('is reconnected after a restart, despite its nonstandard response', async () => {
    await ending.pop()?.()
    await listen()
    expect(await text('echo', { message: 'again' })).toBe('Echo: again')
  })

  it('closes and releases all resources', async () => {
    if (transport === 'stdio') expect(running(name)).toHaveLength(1)
    await client.close()
    expect(running(name)).toEqual([])
  })
})
