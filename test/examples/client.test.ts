import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Server } from 'portcall'
import { connect } from 'portcall/client'
import type { JsonObject } from 'portcall/jsonrpc'
import { serve } from 'portcall/node'
import { connectPair, faultyProxy, textOf } from 'portcall/testing'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { server as asking } from '../../examples/asking.ts'
import { server as changes } from '../../examples/changes.ts'
import { connectWithAnswers } from '../../examples/client-answers.ts'
import { add, count, server as typed, whoAmI } from '../../examples/client-calls.ts'
import { callAgain, tryTool } from '../../examples/client-errors.ts'
import { connectWatched, follow } from '../../examples/client-listen.ts'
import { greet } from '../../examples/client-program.ts'
import { openNotebook } from '../../examples/notes/notebook.ts'
import { createNotes } from '../../examples/notes/server.ts'
import { server as progress } from '../../examples/progress.ts'
import { server as sampling } from '../../examples/sampling.ts'
import { open, search } from '../../examples/several.ts'
import { charges, server as steps } from '../../examples/steps.ts'
import { server as tools } from '../../examples/tools.ts'
import { server as urls } from '../../examples/urls.ts'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { compileProgram } from '../support/compile.ts'

const example = (name: string): Promise<string> =>
  compileProgram(fileURLToPath(new URL(`../../examples/${name}.ts`, import.meta.url)))
const ROOT = fileURLToPath(new URL('../..', import.meta.url))

async function run(name: string, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [await example(name), ...args], { cwd: ROOT })
  return stdout
}

async function listen(server: Parameters<typeof serve>[0]): Promise<string> {
  const serving = await serve(server, { port: 0, handleProcessSignals: false })
  onTestFinished(() => serving.close())
  return serving.url
}

beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
})
afterEach(() => vi.restoreAllMocks())

describe('programs that use servers', () => {
  /** Starts a server example, and runs a client example against it. */
  async function runBoth(server: string, client: string): Promise<string> {
    const serving = spawn(process.execPath, [server], { env: { ...process.env, PORT: '0' }, stdio: ['ignore', 'pipe', 'ignore'] })
    onTestFinished(() => void serving.kill('SIGTERM'))
    const [printed] = await once(serving.stdout, 'data')
    const url = String(printed).replace('Listening at ', '').trim()
    const { stdout } = await promisify(execFile)(process.execPath, [client, url])
    return stdout
  }

  test('book-table-client', async () => {
    const output = await runBoth(await example('book-table'), await example('book-table-client'))
    expect(output).toContain("{ time: '19:30' }")
  })

  test('first-client', async () => {
    const output = await runBoth(await example('first-server'), await example('first-client'))
    expect(output).toContain('There is no to-do 99')
    expect(output).toContain('Everything was removed')
  })

  test('client, in the process of its server and by URL', async () => {
    const url = await listen(createNotes(await openNotebook('docs')))
    for (const args of [[], [url]]) {
      const output = await run('client', ...args)
      expect(output).toContain('notes A folder of notes')
      expect(output).toContain('search Search notes')
      expect(output).toContain('total: ')
      expect(output).toContain('Summarise this note')
    }
  })
})

describe('a client with input handlers', () => {
  const host = (yes: boolean) => ({
    fillIn: async ({ message, defaults }: { message: string; defaults: object }) =>
      yes ? { ...defaults, ...ANSWERS[message] } : undefined,
    agrees: async () => yes,
    generate: async (prompt: string) => (prompt.includes('haiku') ? 'Ships' : ''),
  })
  const ANSWERS: Record<string, object> = {
    'For how many people, and when?': { people: 4 },
    'Pay 7?': { agreed: true },
    'How was it?': { rating: 5 },
    'What is your name?': { name: 'Ann' },
  }

  test.each(['2025-11-25', '2026-07-28'])('%s', async (protocolVersion) => {
    const ask = async (server: Server, name: string, args = {}): Promise<string> => {
      await using place = await connectPair(server, { transport: 'http', protocolVersion })
      const client = await connectWithAnswers(place.url ?? '', host(true))
      const result = await client.callTool(name, args)
      await client.close()
      return textOf(result)
    }
    expect(await ask(asking, 'book')).toBe('A table for 4, for dinner')
    charges.splice(0)
    expect(await ask(steps, 'buy', { price: 7 })).toBe('Receipt 1, rated 5')
    expect(await ask(asking, 'introduce')).toBe('Ann works on file:///home/ann/project')
    expect(await ask(sampling, 'haiku')).toBe('Ships')
    expect(await ask(urls, 'connect')).toContain('Connected')
  })

  test('that decline', async () => {
    const refusing = await connectWithAnswers(asking, host(false))
    expect(textOf(await refusing.callTool('subscribe'))).toBe('Not subscribed')
    await refusing.close()
    const silent = await connectWithAnswers(sampling, host(false))
    await expect(silent.callTool('haiku')).rejects.toMatchObject({ code: 'INPUT_HANDLER_FAILED' })
    await silent.close()
  })
})

test('a client with a subscription', async () => {
  const client = await connectWatched(changes, () => {})
  const shown: unknown[] = []
  const following = follow(client, (change) => shown.push(change))
  await new Promise((resolve) => setTimeout(resolve, 50))
  await client.callTool('visit')
  await client.callTool('learn')
  await eventually(() => expect(shown).toEqual([{ type: 'resource', uri: 'count://visits' }, { type: 'prompts' }]))
  await client.close()
  await following
})

describe('calls', () => {
  test('are typed by the server, and have headers', async () => {
    const url = await listen(typed)
    expect(await add(url)).toBe(3)
    expect(await whoAmI(url)).toMatchObject([{ text: 'ann' }])
  })

  test('report progress and can be aborted', async () => {
    await using client = await connectPair(progress)
    const shown: string[] = []
    expect(await count(client, { show: (text) => shown.push(text) })).toMatchObject([{ text: 'Counted to 3' }])
    expect(shown).toEqual(['1 of 3, at 1', '2 of 3, at 2', '3 of 3, at 3'])
    await expect(count(client, { show: () => {}, signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough')
  })
})

describe('errors', () => {
  test('are distinguished', async () => {
    await using client = await connectPair(tools)
    expect(await tryTool(client, 'divide', { dividend: 1, divisor: 0 })).toContain('the tool failed')
    expect(await tryTool(client, 'divide', { dividend: 1, divisor: 1 })).toContain('done')
    expect(await tryTool(client, 'nobody', {})).toContain('the server returned an error: -32602')
  })

  test('are retried where that is safe', async () => {
    const proxy = await faultyProxy({ target: await listen(tools) })
    onTestFinished(() => proxy.close())
    const client = await connect(proxy.url)
    proxy.setFaults({ toClient: { resetAfterBytes: 20 } })
    setTimeout(() => proxy.setFaults({}), 10)
    expect(await callAgain(client, 'picture', 20)).toHaveLength(3)
    proxy.setFaults({ refuse: true })
    proxy.resetConnections()
    expect(await tryTool(client, 'shout', { text: 'a' })).toContain('the outcome is unknown')
    await client.close()
  })

  test('a program is started', async () => {
    expect(await greet(process.execPath, [await example('stdio')])).toMatchObject([{ text: 'Hello, Ada!' }])
  })
})

test('several servers', async () => {
  const url = await listen(createNotes(await openNotebook('docs')))
  const config = `{
    // in the format of other programs
    "mcpServers": {
      "notes": { "url": "${url}", "headers": { "authorization": "Bearer \${NOTES_TOKEN:-none}" } },
      "hello": { "command": "${process.execPath}", "args": ["${await example('stdio')}"] },
      "gone": { "command": "\${NOT_SET_ANYWHERE}/bin/server" },
      "off": { "command": "off", "disabled": true },
    },
  }`
  const events: unknown[] = []
  expect(await search(config, (event) => events.push(event))).toMatchObject({ matches: expect.any(Array) })
  expect(events).toContainEqual(expect.objectContaining({ type: 'failed', server: 'gone' }))
  const ask = async (): Promise<JsonObject> => ({})
  expect(await open(config, 'notes', ask)).toMatchObject({ state: 'connected' })
  expect(await open(config, 'gone', ask)).toMatchObject({ state: 'failed', error: { code: 'INVALID_CONFIG' } })
  expect(await open(config, 'off', ask)).toMatchObject({ state: 'disabled' })
})
