import { writeFile } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createServer, type Server } from 'portcall'
import { type Client, connect } from 'portcall/client'
import { serve } from 'portcall/node'
import { memoryStores } from 'portcall/stores'
import { connectPair, faultyProxy, textOf } from 'portcall/testing'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import * as z from 'zod'
import { server as changes } from '../../examples/changes.ts'
import { connectCached } from '../../examples/client-cache.ts'
import { tryTool } from '../../examples/client-errors.ts'
import { withRetries } from '../../examples/client-retry.ts'
import { add, server as typed } from '../../examples/client-types.ts'
import { server as concurrentInput } from '../../examples/concurrent-input.ts'
import { server as elicitation } from '../../examples/elicitation.ts'
import { server as urlElicitation } from '../../examples/elicitation-url.ts'
import { describeServer } from '../../examples/group-server.ts'
import { server as progress } from '../../examples/progress.ts'
import { server as rpcErrors } from '../../examples/rpc-errors.ts'
import { server as sampling } from '../../examples/sampling.ts'
import { connectWithModel } from '../../examples/sampling-handler.ts'
import { server as tools } from '../../examples/tools.ts'
import { compileExample, type ExampleOptions, startExample, startServer } from '../support/example.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** Runs an example until it exits, and returns what it printed. */
async function run(name: string, options: ExampleOptions = {}): Promise<string> {
  return (await startExample(name, options)).output()
}

async function listen(server: Parameters<typeof serve>[0]): Promise<string> {
  const serving = await serve(server, { port: 0, handleProcessSignals: false })
  onTestFinished(() => serving.close())
  return serving.url
}

/** Starts the to-do server of the tutorial, and returns its URL. */
const startTodo = (): Promise<string> => startServer('first-server')

/** Creates a folder with `todo.js`, as in the tutorial. */
async function makeTodoFolder(): Promise<string> {
  const folder = temporaryFolder()
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  await writeFile(join(folder, 'todo.js'), `await import(${JSON.stringify(pathToFileURL(await compileExample('first-server')))})`)
  return folder
}

beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
})
afterEach(() => vi.restoreAllMocks())

describe('programs that use a server at a URL', () => {
  test('book-table-client', async () => {
    expect(await run('book-table-client', { args: [await startServer('book-table')] })).toContain("{ time: '19:30' }")
  })

  test('first-client', async () => {
    const output = await run('first-client', { args: [await startTodo()] })
    expect(output).toContain('There is no to-do 99')
    expect(output).toContain('Everything was removed')
  })

  test('client', async () => {
    const output = await run('client', { args: [await startTodo()] })
    expect(output).toContain('finish: Remove a to-do that is done')
    expect(output).toContain('Added { id: 2 }')
  })

  test('client-read', async () => {
    const output = await run('client-read', { args: [await startTodo()] })
    expect(output).toContain('todo: Manages the to-do list of the user.')
    expect(output).toContain('todo://{id}')
    expect(output).toContain('todo://1 Buy pears')
    expect(output).toContain("user { type: 'text', text: 'Plan my day. I have to: Buy pears' }")
  })

  test('client-content', async () => {
    const output = await run('client-content', { args: [await listen(tools), 'picture'] })
    expect(output.split('\n')).toEqual([expect.any(String), expect.stringMatching(/^image\/\w+, \d+ bytes$/), ''])
  })

  test('client-progress', async () => {
    const output = await run('client-progress', { args: [await listen(progress)] })
    expect(output).toContain('1 of 3: at 1\n2 of 3: at 2\n3 of 3: at 3\n')
    expect(output).toContain('Counted to 3')
  })

  test('client-progress, interrupted', async () => {
    const slow = createServer({ name: 'slow', version: '1.0.0' })
    const aborted = new Promise((resolve) => {
      slow.tool('count', { input: z.object({ to: z.int() }) }, async (_, call) => {
        call.progress(1, 3, 'at 1')
        await new Promise((_resolve, reject) => call.signal.addEventListener('abort', () => reject(call.signal.reason)))
        return 'never'
      })
      slow.use(async (request, context, next) => {
        context.signal.addEventListener('abort', resolve)
        return next(request, context)
      })
    })
    const example = await startExample('client-progress', { args: [await listen(slow)] })
    await example.until('1 of 3: at 1')
    example.interrupt()
    await aborted
    expect(await example.output()).toBe('1 of 3: at 1\n')
  })

  test('client-headers', async () => {
    const server = createServer({ name: 'headers', version: '1.0.0' })
    server.tool('whoami', {}, (_, call) => `${call.header('authorization')} of ${call.header('x-tenant')}`)
    const output = await run('client-headers', { args: [await listen(server)], env: { TOKEN: 'secret' } })
    expect(output).toContain('Bearer secret of acme')
  })

  test('client-events', async () => {
    const server = createServer({ name: 'logger', version: '1.0.0' })
    server.tool('work', {}, async (_, call) => {
      await call.log('info', { step: 1 })
      return 'done'
    })
    const output = await run('client-events', { args: [await listen(server)] })
    expect(output).toBe('connected\ninfo from the server: { step: 1 }\nclosed\n')
  })

  test('client-middleware', async () => {
    expect(await run('client-middleware', { args: [await startTodo()] })).toMatch(/^tools\/call: ok after \d+ ms$/m)
  })

  test('client-subscription', async () => {
    const url = await listen(changes)
    const example = await startExample('client-subscription', { args: [url] })
    await example.until('Subscribed to {')
    await using client = await connect(url)
    await client.callTool('visit')
    await example.until("text: '1'")
    await client.callTool('learn')
    await example.until('Prompts: 100')
  })
})

describe('programs that start their server or contain it', () => {
  test('client-in-process', async () => {
    expect(await run('client-in-process')).toMatch(/text: '\d{4}-\d\d-\d\dT/)
  })

  test('client-program', async () => {
    expect(await run('client-program', { cwd: await makeTodoFolder() })).toContain('0 left')
  })

  test('caching', async () => {
    const output = await run('caching')
    expect(output.match(/\d+ °C/g)).toEqual(['20 °C', '20 °C', '21 °C'])
  })
})

describe('input handlers', () => {
  const answer = async (server: Server, tool: string, answers: Record<string, string>): Promise<string> => {
    await using place = await connectPair(server, { transport: 'http' })
    const example = await startExample('input-handlers', { args: [place.url ?? '', tool] })
    for (const [question, text] of Object.entries(answers)) {
      await example.until(question)
      example.write(text)
    }
    return await example.output()
  }

  test('a form', async () => {
    const output = await answer(elicitation, 'book', { 'people: ': '4', 'when: ': '' })
    expect(output).toContain('For how many people, and when?')
    expect(output).toContain('A table for 4, for dinner')
  })

  test('a page', async () => {
    const output = await answer(urlElicitation, 'connect', { 'state=4711? ': 'yes' })
    expect(output).toContain('Visit https://example.com/connect?state=4711')
    expect(output).toContain('The account is connected as soon as you have signed in')
  })

  test('roots', async () => {
    expect(await answer(concurrentInput, 'introduce', { 'name: ': 'Ann' })).toContain(
      `Ann works on ${pathToFileURL(process.cwd())}`,
    )
  })

  test('a model', async () => {
    const requests: unknown[] = []
    const http = createHttpServer(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      requests.push(JSON.parse(body))
      response.end(JSON.stringify({ choices: [{ message: { content: 'Ships' } }] }))
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => http.once('listening', resolve))
    onTestFinished(() => void http.close())
    const api = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
    vi.spyOn(globalThis, 'fetch').mockImplementation(redirectFetch(api))

    await using client = await connectWithModel(await listen(sampling), async () => true)
    expect(textOf(await client.callTool('haiku'))).toBe('Ships')
    expect(requests).toMatchObject([{ max_tokens: 100, messages: [{ role: 'user', content: 'Write a haiku about ships' }] }])

    await using declining = await connectWithModel(await listen(sampling), async () => false)
    await expect(declining.callTool('haiku')).rejects.toMatchObject({ code: 'INPUT_HANDLER_FAILED' })
  })
})

const { fetch } = globalThis

/** Sends requests to the model API of the example to another server. */
function redirectFetch(api: string): typeof fetch {
  return (input, init) => fetch(String(input).replace('http://127.0.0.1:11434/v1', api), init)
}

describe('helpers', () => {
  test('client-types', async () => {
    expect(await add(await listen(typed))).toBe(3)
  })

  test('client-errors', async () => {
    await using client = await connectPair(tools)
    expect(await tryTool(client, 'divide', { dividend: 1, divisor: 0 })).toContain('The tool failed')
    expect(await tryTool(client, 'divide', { dividend: 1, divisor: 1 })).toContain('Done')
    expect(await tryTool(client, 'nobody', {})).toContain('The server returned the error -32602')
    await using quota = await connectPair(rpcErrors)
    expect(await tryTool(quota, 'render', {})).toBe('The server returned the error 4290: The quota of this month is used up')
  })

  test('client-errors and client-retry, when the connection fails', async () => {
    const proxy = await faultyProxy({ target: await listen(tools) })
    onTestFinished(() => proxy.close())
    const client = await connect(proxy.url)
    proxy.setFaults({ toClient: { resetAfterBytes: 20 } })
    setTimeout(() => proxy.setFaults({}), 10)
    const { content } = await withRetries(() => client.callTool('picture'), 20)
    expect(content).toHaveLength(2)
    proxy.setFaults({ refuse: true })
    proxy.resetConnections()
    expect(await tryTool(client, 'shout', { text: 'a' })).toContain('The outcome is unknown')
    await client.close()
  })

  test('client-retry gives up on errors that will not pass', async () => {
    let calls = 0
    await expect(
      withRetries(async () => {
        calls++
        throw new TypeError('wrong')
      }),
    ).rejects.toThrow('wrong')
    expect(calls).toBe(1)
  })

  test('client-cache', async () => {
    let reads = 0
    const server = createServer({ name: 'sensor', version: '1.0.0' })
    server.resource('sensor://temperature', { cache: { ttlMs: 60_000 } }, () => `${++reads} °C`)
    const url = await listen(server)
    const { store } = memoryStores()
    const read = async (user: string): Promise<string> => {
      await using client: Client = await connectCached(url, store, user)
      return JSON.stringify((await client.readResource('sensor://temperature')).contents)
    }
    expect(await read('ann')).toContain('1 °C')
    expect(await read('ann')).toContain('1 °C')
    expect(await read('ben')).toContain('2 °C')
  })
})

describe('several servers', () => {
  test('group', async () => {
    const folder = await makeTodoFolder()
    const config = {
      mcpServers: {
        todo: { command: 'node', args: ['todo.js', '--stdio'] },
        remote: { url: await startTodo() },
        gone: { command: '${NOT_SET_ANYWHERE}/bin/server' },
      },
    }
    await writeFile(join(folder, '.mcp.json'), JSON.stringify(config))
    const output = await run('group', { cwd: folder })
    expect(output).toContain('todo__add: add of todo')
    expect(output).toContain('remote__clear: clear of remote')
    expect(output).toContain('Added { id: 2 }')
  })

  test('group-server', async () => {
    const config = `{
      // comments and trailing commas are allowed
      "mcpServers": {
        "todo": { "url": "${await startTodo()}" },
        "gone": { "command": "\${NOT_SET_ANYWHERE}/bin/server" },
        "off": { "command": "off", "disabled": true },
      },
    }`
    const ask = async (): Promise<Record<string, unknown>> => ({})
    expect(await describeServer(config, 'todo', ask)).toBe('connected: Manages the to-do list of the user.')
    expect(await describeServer(config, 'gone', ask)).toContain('failed: ConfigError')
    expect(await describeServer(config, 'off', ask)).toContain('disabled: ')
  })
})
