import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Serving, serve } from 'portcall/node'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DEMO, ended, portcall, STDIO, said, start } from './support/portcall.ts'

const REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28']

let serving: Serving
let folder: string
beforeAll(async () => {
  const { server } = await import('./fixtures/demo.mjs')
  serving = await serve(server, { port: 0, signals: false })
  folder = await mkdtemp(join(tmpdir(), 'portcall-command-'))
})
afterAll(() => serving.close())

/** The ways to the same server: their target, and what comes after all words. */
const WAYS: { [way: string]: () => { before: string[]; after: string[] } } = {
  url: () => ({ before: [serving.url], after: [] }),
  program: () => ({ before: [], after: ['--', process.execPath, STDIO] }),
  module: () => ({ before: [DEMO], after: [] }),
}
const run = (way: string, name: string, ...words: string[]): ReturnType<typeof portcall> => {
  const { before, after } = WAYS[way]!()
  return portcall([name, ...before, ...words, ...after])
}
const json = async (...args: string[]): Promise<any> => JSON.parse((await portcall([...args, '--json'])).out)

describe.each(Object.keys(WAYS))('a server by its %s', (way) => {
  test('list', async () => {
    const { code, out } = await run(way, 'list')
    expect(code).toBe(0)
    for (const line of ['  greet(name: string, times?: integer, tags?: string[])', '  note://{id}', '  review(code)'])
      expect(out).toContain(line)
    expect(out).not.toContain('the module speaks')
  })

  test('call', async () => {
    expect(await run(way, 'call', 'greet', 'name=Ada', 'times=2', 'tags=a', 'tags=b')).toMatchObject({
      code: 0,
      out: 'Hello, Ada! Hello, Ada! a b\n',
    })
  })

  test('read, prompt, complete, discover, raw', async () => {
    expect(await run(way, 'read', 'note://one')).toMatchObject({ code: 0, out: 'the first\n' })
    expect(await run(way, 'read', 'note://{id}', 'id=7')).toMatchObject({ code: 0, out: 'note 7\n' })
    expect(await run(way, 'prompt', 'review', 'code=x')).toMatchObject({ code: 0, out: 'user: Review x\n' })
    expect(await run(way, 'complete', 'note://{id}', 'id=')).toMatchObject({ code: 0, out: 'one\ntwo\n' })
    expect((await run(way, 'discover')).out).toContain('demo 1.0.0\ncapabilities: tools')
    expect(JSON.parse((await run(way, 'raw', 'tools/list')).out).tools[0].name).toBe('greet')
  })
})

describe('every era', () => {
  test.each(
    REVISIONS.flatMap((revision) => [
      ['url', revision],
      ['program', revision],
    ]),
  )('%s, %s', async (way, revision) => {
    const called = await run(way!, 'call', 'greet', 'name=Ada', '--revision', revision!)
    expect(called).toMatchObject({ code: 0, out: 'Hello, Ada!\n' })
    expect(await run(way!, 'call', 'roots', '--root', folder, '--revision', revision!)).toMatchObject({
      code: 0,
      out: expect.stringContaining(`file://${folder}`),
    })
  })

  test.each(REVISIONS.filter((revision) => revision > '2025-06-01'))('a form is answered by a flag, %s', async (revision) => {
    const args = ['call', serving.url, 'ask', '--revision', revision]
    const filled = await portcall([...args, '--answer', 'age=3', '-a', 'color=green'])
    expect({ ...filled, out: JSON.parse(filled.out) }).toMatchObject({ code: 0, out: { age: 3, ok: true, color: 'green' } })
    const refused = await portcall(args)
    expect(refused.out + refused.err).toMatch(/elicitation|cannot be asked|ask/)
    expect(refused.code).not.toBe(0)
  })
})

describe('JSON', () => {
  test('results are verbatim', async () => {
    expect(await json('call', serving.url, 'greet', 'name=Ada')).toMatchObject({
      content: [{ type: 'text', text: 'Hello, Ada!' }],
    })
    expect(await json('list', serving.url, 'prompts')).toEqual({ prompts: [expect.objectContaining({ name: 'review' })] })
    expect(Object.keys(await json('list', serving.url))).toEqual(['tools', 'resources', 'resourceTemplates', 'prompts'])
    expect(await json('read', serving.url, 'note://one')).toMatchObject({ contents: [{ uri: 'note://one', text: 'the first' }] })
  })

  test('an error is one line of JSON on stderr', async () => {
    const { code, out, err } = await portcall(['call', serving.url, 'greet', 'times=0', '--json'])
    expect({ code, out }).toEqual({ code: 2, out: '' })
    const { error } = JSON.parse(err)
    expect(error).toMatchObject({ code: 'INVALID_ARGUMENTS', exit: 2 })
    expect(error.message).toMatch(/name: required.*times|times.*name: required/)
  })
})

describe('exit codes', () => {
  test.each<[string, number, () => string[], RegExp]>([
    ['a tool that fails', 1, () => ['call', serving.url, 'fail'], /^$/],
    ['a flag that is not there', 2, () => ['call', serving.url, 'fail', '--jsn'], /did you mean json/],
    ['a command that is not there', 2, () => ['lst'], /did you mean list/],
    ['a tool that is not there', 2, () => ['call', serving.url, 'gret'], /did you mean greet/],
    ['arguments that do not fit', 2, () => ['call', serving.url, 'greet', 'nme=Ada'], /name: required.*did you mean name/],
    ['JSON that is none', 2, () => ['call', serving.url, 'greet', 'name:={'], /name is no JSON/],
    ['a file that is not there', 2, () => ['call', serving.url, 'greet', '@/no/such'], /no such file/],
    ['a target that is none', 2, () => ['list', 'nowhere'], /is no server/],
    ['a refusal', 3, () => ['raw', serving.url, 'tools/nothing'], /-32601/],
    ['a port where nobody listens', 4, () => ['list', 'http://127.0.0.1:9/mcp'], /ECONNREFUSED|lost/],
    ['a program that ends', 4, () => ['list', '--', process.execPath, '-e', 'console.error("oops"); process.exit(3)'], /oops/],
    ['a program that is not there', 4, () => ['list', '--', '/no/such/program'], /no\/such/],
    ['no answer in time', 5, () => ['call', serving.url, 'hang', '--timeout', '0.5'], /--timeout/],
    ['a question without a terminal', 7, () => ['call', serving.url, 'ask'], /--answer/],
  ])('%s: %i', async (_title, code, args, words) => {
    const done = await portcall(args())
    expect(done.code).toBe(code)
    expect(done.err.trim()).toMatch(words)
    expect(done.err.trim().split('\n')).toHaveLength(1)
  })

  test('Ctrl-C: 130, and the server hears of it', async () => {
    const child = start(['listen', serving.url, 'tools'])
    const end = ended(child)
    await said(child.stderr, /listening for toolsListChanged/)
    child.kill('SIGINT')
    expect((await end).code).toBe(130)
  })
})

describe('arguments', () => {
  test('of a file, of stdin, of both', async () => {
    const path = join(folder, 'args.json')
    await writeFile(path, '{"name":"File","times":2}')
    expect((await portcall(['call', serving.url, 'greet', `@${path}`])).out).toBe('Hello, File! Hello, File!\n')
    expect((await portcall(['call', serving.url, 'greet', `@${path}`, 'times=1'])).out).toBe('Hello, File!\n')
    expect((await portcall(['call', serving.url, 'greet', '@-'], { input: '{"name":"In"}' })).out).toBe('Hello, In!\n')
    expect((await portcall(['call', serving.url, 'greet', 'name=@-'], { input: 'Text' })).out).toBe('Hello, Text!\n')
  })

  test('a configuration of another program', async () => {
    const path = join(folder, '.mcp.json')
    const servers = { demo: { command: process.execPath, args: [STDIO] }, far: { url: serving.url } }
    await writeFile(path, JSON.stringify({ mcpServers: servers }))
    expect((await portcall(['call', `${path}:demo`, 'greet', 'name=Ada'])).out).toBe('Hello, Ada!\n')
    expect((await portcall(['call', '.mcp.json:far', 'greet', 'name=Ada'], { cwd: folder })).out).toBe('Hello, Ada!\n')
    expect(await portcall(['list', `${path}:dmo`])).toMatchObject({ code: 2, err: expect.stringContaining('did you mean demo?') })
  })
})

describe('what is shown', () => {
  test('pictures are named or saved, never dumped', async () => {
    const named = await portcall(['call', serving.url, 'picture'])
    expect(named.out).toBe('[image image/png, 8 bytes; --save FOLDER keeps it]\n')
    const { out } = await portcall(['call', serving.url, 'picture', '--save', join(folder, 'pictures')])
    const [, path = ''] = /^\[image image\/png, 8 bytes\] (.*\.png)\n$/.exec(out) ?? []
    expect((await readFile(path)).toString('base64')).toBe('iVBORw0KGgo=')
  })

  test('no progress bar in a pipe', async () => {
    expect(await portcall(['call', serving.url, 'count'])).toEqual({ code: 0, out: 'counted\n', err: '' })
  })

  test('changes', async () => {
    const child = start(['listen', serving.url, 'tools', '--count', '1', '--json'])
    const end = ended(child)
    await said(child.stderr, /listening/)
    await portcall(['call', serving.url, 'change'])
    expect(await end).toMatchObject({ code: 0, out: '{"type":"tools"}\n' })
  })
})

test('the help of each command says how it is written', async () => {
  const { commands } = JSON.parse((await portcall(['help', '--json'])).out)
  expect(commands.length).toBeGreaterThan(7)
  for (const { name, usage } of commands) expect((await portcall([name, '--help'])).out.split('\n')[0]).toBe(usage)
})
