import { type Client, type ClientEvent, type ConnectOptions, connect, RpcError } from 'portcall/client'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { type Listening, mark, type Program, running, start } from './servers/programs.ts'
import { type Ability, SETUPS, type Setup } from './servers/setups.ts'

const servers: Record<string, Program> = inject('servers' as never)
const listening = new Map<string, Promise<Listening>>()

/** Returns the HTTP server of a program, started on first use. */
function listeningOf(server: string): Promise<Listening> {
  const started = listening.get(server) ?? start(servers[server] as Program)
  listening.set(server, started)
  return started
}

afterAll(async () => {
  for (const one of listening.values()) await one.then((server) => server.kill())
})

const ANSWERS: ConnectOptions = {
  elicit: () => ({ name: 'Ada', age: 36 }),
  sample: () => ({ role: 'assistant', content: { type: 'text', text: 'hi' }, model: 'm' }),
  roots: [{ uri: 'file:///work', name: 'work' }],
  capabilities: { roots: { listChanged: true } },
}

/** Returns the name of a setup for test titles. */
function nameOf({ server, path, era, pinned }: Setup): string {
  const transport = path === undefined ? 'stdio' : path === '/sse' ? 'HTTP+SSE' : `HTTP at ${path}`
  return `${server} over ${transport}, ${era} ${pinned ? 'as asked for' : 'as found out'}`
}

describe.each(SETUPS.map((place) => ({ name: nameOf(place), place })))('$name', ({ place }) => {
  const { server, path, era, pinned, lacks = {} } = place
  const program = servers[server] as Program
  const events: ClientEvent[] = []
  let client: Client
  let name = ''

  const trial = (title: string, run: () => Promise<void>, ability?: Ability): void => {
    const reason = 'missing' in program ? program.missing : ability && lacks[ability]
    if (reason === undefined) it(title, run)
    else it.skip(`${title}: ${reason}`)
  }
  const text = async (tool: string, options = {}): Promise<unknown> => {
    const { content, isError } = await client.callTool(tool, {}, options)
    if (isError) throw new Error(JSON.stringify(content))
    return content[0]?.text
  }

  beforeAll(async () => {
    if ('missing' in program) return
    const marked = mark(program, '--stdio')
    name = marked.mark
    const target = path === undefined ? marked : (await listeningOf(server)).origin + path
    client = await connect(target, {
      ...ANSWERS,
      ...(pinned && { era }),
      // Python may start slowly on a busy machine. What answers late counts as a server of an older revision.
      probeTimeoutMs: 30_000,
      logLevel: 'warning',
      onEvent: (event) => events.push(event),
    })
  })

  trial('is known, and found to be of its era', async () => {
    const { serverInfo, instructions, capabilities } = await client.discover()
    expect(serverInfo).toMatchObject({ name: server })
    expect(instructions).toBe('Made for other clients.')
    expect(capabilities).toMatchObject({ tools: {}, resources: {}, prompts: {} })
    expect(await text('era')).toBe(era)
  })

  trial('lists tools and calls them', async () => {
    const names = (await client.tools().toArray()).map((tool) => tool.name)
    expect(names).toEqual(expect.arrayContaining(['add', 'count', 'chat', 'greet', 'think', 'where', 'wait', 'change']))
    const { structuredContent } = await client.callTool('add', { a: 1, b: 2 })
    expect(structuredContent).toEqual({ sum: 3 })
    expect(await isRejected(client.callTool('add', { a: 'x', b: 2 }))).toBe(true)
    expect(await isRejected(client.callTool('nobody'))).toBe(true)
  })

  trial(
    'receives progress',
    async () => {
      const progress: number[] = []
      expect(await text('count', { onProgress: (update: { progress: number }) => progress.push(update.progress) })).toBe(
        'counted',
      )
      expect(progress).toEqual([1, 2, 3])
    },
    'progress',
  )

  trial(
    'receives log messages',
    async () => {
      expect(await text('chat')).toBe('chatted')
      await eventually(() =>
        expect(events.filter(({ type }) => type === 'log').map((event) => JSON.stringify(event))).toContainEqual(
          expect.stringContaining('"loud":true'),
        ),
      )
    },
    'logs',
  )

  trial(
    'receives no log messages below the requested level',
    async () => {
      expect(events.filter((event) => event.type === 'log' && event.level === 'debug')).toEqual([])
    },
    'levels',
  )

  trial('answers a form', async () => expect(await text('greet')).toBe('Hello Ada, 36'), 'elicit')
  trial('answers with its model', async () => expect(await text('think')).toBe('hi'), 'sample')
  trial('answers with its roots', async () => expect(await text('where')).toBe('file:///work'), 'roots')

  trial(
    'cancels',
    async () => {
      // On a slow machine the call may be cancelled before it reaches the server.
      await eventually(async () => {
        const before = Number(await text('cancelled'))
        const controller = new AbortController()
        const reason = new Error('enough')
        setTimeout(() => controller.abort(reason), 100)
        await expect(text('wait', { signal: controller.signal })).rejects.toBe(reason)
        await expect.poll(async () => Number(await text('cancelled')), { timeout: 5000 }).toBe(before + 1)
      })
    },
    'cancel',
  )

  trial('reads resources', async () => {
    expect((await client.resources().toArray()).map(({ uri }) => uri)).toContain('memo://logo')
    expect((await client.readResource('memo://logo')).contents[0]).toMatchObject({
      uri: 'memo://logo',
      mimeType: 'image/png',
      blob: 'AQID',
    })
    expect((await client.readResource('memo://b')).contents[0]).toMatchObject({
      mimeType: 'text/plain',
      text: expect.stringMatching(/^b v\d/),
    })
    await expect(client.readResource('other://x')).rejects.toThrow(RpcError)
  })

  trial('lists templates and completes their variables', async () => {
    expect((await client.resourceTemplates().toArray()).map(({ uriTemplate }) => uriTemplate)).toEqual(['memo://{name}'])
    const { values } = await client.complete({ type: 'ref/resource', uri: 'memo://{name}' }, { name: 'name', value: 'al' })
    expect(values).toEqual(['alpha'])
  })

  trial('gets prompts and completes their arguments', async () => {
    const [prompt] = await client.prompts().toArray()
    expect(prompt?.arguments).toMatchObject([{ name: 'code', required: true }, { name: 'language' }])
    const { messages } = await client.getPrompt('review', { code: 'x' })
    expect(messages[0]).toMatchObject({ role: 'user', content: { type: 'text', text: 'Review x' } })
    const { values } = await client.complete({ type: 'ref/prompt', name: 'review' }, { name: 'language', value: 'ty' })
    expect(values).toEqual(['typescript'])
  })

  trial(
    'completes with the arguments already filled in',
    async () => {
      const { values } = await client.complete(
        { type: 'ref/prompt', name: 'review' },
        { name: 'language', value: 't' },
        { arguments: { code: 'tcl' } },
      )
      expect(values).toEqual(['typescript', 'tcl'])
    },
    'context',
  )

  trial(
    'receives list changes',
    async () => {
      expect(await firstChange(client, { toolsListChanged: true })).toEqual({ type: 'tools' })
      expect((await client.tools().toArray()).map((tool) => tool.name)).toContainEqual(expect.stringMatching(/^late/))
    },
    'lists',
  )

  trial(
    'receives resource updates',
    async () => {
      expect(await firstChange(client, { resourceSubscriptions: ['memo://a'] })).toEqual({ type: 'resource', uri: 'memo://a' })
    },
    'updates',
  )

  trial('closes, and leaves nothing', async () => {
    if (path === undefined) expect(running(name)).toHaveLength(1)
    await client.close()
    expect(running(name)).toEqual([])
    await expect(client.callTool('era')).rejects.toThrow()
  })
})

/** Reports whether a call is rejected, by an error or an error result. */
function isRejected(call: Promise<{ isError?: boolean }>): Promise<boolean> {
  return call.then(
    ({ isError = false }) => isError,
    (error) => error instanceof RpcError,
  )
}

/** Returns the first change received when a server changes everything. */
async function firstChange(client: Client, filter: Parameters<Client['listen']>[0]): Promise<unknown> {
  const subscription = client.listen(filter)
  try {
    expect(await subscription.acknowledged).toMatchObject(filter)
    const first = subscription[Symbol.asyncIterator]().next()
    await client.callTool('change')
    return (await first).value
  } finally {
    subscription.close()
  }
}
