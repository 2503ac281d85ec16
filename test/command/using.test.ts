import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer } from 'portcall'
import { type ListeningServer, serve } from 'portcall/node'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { isRunning } from './support/gateway.ts'
import { DEMO, portcall, STDIO, start, untilExit, untilOutput } from './support/portcall.ts'

const REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28']

let listening: ListeningServer
let dir: string
beforeAll(async () => {
  const { server } = await import('./fixtures/demo.mjs')
  listening = await serve(server, { port: 0, handleProcessSignals: false })
  dir = await mkdtemp(join(tmpdir(), 'portcall-command-'))
})
afterAll(() => listening.close())

/** The forms of the server argument: the arguments before and after all others. */
const TARGETS: { [target: string]: () => { before: string[]; after: string[] } } = {
  url: () => ({ before: [listening.url], after: [] }),
  program: () => ({ before: [], after: ['--', process.execPath, STDIO] }),
  module: () => ({ before: [DEMO], after: [] }),
}
const run = (target: string, name: string, ...words: string[]): ReturnType<typeof portcall> => {
  const { before, after } = TARGETS[target]!()
  return portcall([name, ...before, ...words, ...after])
}
const json = async (...args: string[]): Promise<any> => JSON.parse((await portcall([...args, '--json'])).out)

describe.each(Object.keys(TARGETS))('a %s', (target) => {
  test('list', async () => {
    const { code, out } = await run(target, 'list')
    expect(code).toBe(0)
    for (const line of ['  greet(name: string, times?: integer, tags?: string[])', '  note://{id}', '  review(code)'])
      expect(out).toContain(line)
    expect(out).not.toContain('the module prints')
  })

  test('call', async () => {
    expect(await run(target, 'call', 'greet', 'name=Ada', 'times=2', 'tags=a', 'tags=b')).toMatchObject({
      code: 0,
      out: 'Hello, Ada! Hello, Ada! a b\n',
    })
  })

  test('read, prompt, complete, discover, raw', async () => {
    expect(await run(target, 'read', 'note://one')).toMatchObject({ code: 0, out: 'the first\n' })
    expect(await run(target, 'read', 'note://{id}', 'id=7')).toMatchObject({ code: 0, out: 'note 7\n' })
    expect(await run(target, 'prompt', 'review', 'code=x')).toMatchObject({ code: 0, out: 'user: Review x\n' })
    expect(await run(target, 'complete', 'note://{id}', 'id=')).toMatchObject({ code: 0, out: 'one\ntwo\n' })
    expect((await run(target, 'discover')).out).toContain('demo 1.0.0\nprotocol version: 2026-07-28\ncapabilities: tools')
    expect(JSON.parse((await run(target, 'raw', 'tools/list')).out).tools[0].name).toBe('greet')
  })

  test('raw notification', async () => {
    const sent = await run(target, 'raw', 'notifications/example', '--notification')
    if (target === 'module') expect(sent).toMatchObject({ code: 2, err: expect.stringContaining('--notification needs') })
    else expect(sent).toMatchObject({ code: 0, out: '' })
  })
})

describe('every protocol version', () => {
  test.each(
    REVISIONS.flatMap((version) => [
      ['url', version],
      ['program', version],
    ]),
  )('%s, %s', async (target, version) => {
    const called = await run(target!, 'call', 'greet', 'name=Ada', '--protocol-version', version!)
    expect(called).toMatchObject({ code: 0, out: 'Hello, Ada!\n' })
    expect((await run(target!, 'discover', '--protocol-version', version!)).out).toContain(`protocol version: ${version}\n`)
    expect(await run(target!, 'call', 'roots', '--root', dir, '--protocol-version', version!)).toMatchObject({
      code: 0,
      out: expect.stringContaining(`file://${dir}`),
    })
  })

  test.each(REVISIONS)('raw --untranslated, %s', async (version) => {
    const pinged = await run('url', 'raw', 'ping', '--untranslated', '--protocol-version', version)
    if (version < '2026') expect(pinged).toMatchObject({ code: 0, out: '{}\n' })
    else expect(pinged).toMatchObject({ code: 3, err: expect.stringContaining('-32601') })
  })

  test.each(REVISIONS.filter((version) => version > '2025-06-01'))('a form is answered by an option, %s', async (version) => {
    const args = ['call', listening.url, 'ask', '--protocol-version', version]
    const filled = await portcall([...args, '--answer', 'age=3', '-a', 'color=green'])
    expect({ ...filled, out: JSON.parse(filled.out) }).toMatchObject({ code: 0, out: { age: 3, ok: true, color: 'green' } })
    const rejected = await portcall(args)
    expect(rejected.out + rejected.err).toMatch(/elicitation|input/)
    expect(rejected.code).not.toBe(0)
  })
})

describe('--json', () => {
  test('prints results unchanged', async () => {
    expect(await json('call', listening.url, 'greet', 'name=Ada')).toMatchObject({
      content: [{ type: 'text', text: 'Hello, Ada!' }],
    })
    expect(await json('list', listening.url, 'prompts')).toEqual({ prompts: [expect.objectContaining({ name: 'review' })] })
    expect(Object.keys(await json('list', listening.url))).toEqual(['tools', 'resources', 'resourceTemplates', 'prompts'])
    expect(await json('read', listening.url, 'note://one')).toMatchObject({
      contents: [{ uri: 'note://one', text: 'the first' }],
    })
  })

  test('prints an error as one line of JSON on stderr', async () => {
    const { code, out, err } = await portcall(['call', listening.url, 'greet', 'times=0', '--json'])
    expect({ code, out }).toEqual({ code: 2, out: '' })
    const { error } = JSON.parse(err)
    expect(error).toMatchObject({ code: 'INVALID_ARGUMENTS', exit: 2 })
    expect(error.message).toMatch(/name: required.*times|times.*name: required/)
  })
})

describe('exit codes', () => {
  test.each<[string, number, () => string[], RegExp]>([
    ['a tool that fails', 1, () => ['call', listening.url, 'fail'], /^$/],
    ['an unknown option', 2, () => ['call', listening.url, 'fail', '--jsn'], /did you mean --json/],
    ['an unknown command', 2, () => ['lst'], /did you mean list/],
    ['a command of other tools', 2, () => ['dev', 'server.js'], /use portcall serve MODULE --watch/],
    ['an unknown tool', 2, () => ['call', listening.url, 'gret'], /did you mean greet/],
    ['invalid arguments', 2, () => ['call', listening.url, 'greet', 'nme=Ada'], /name: required.*did you mean name/],
    ['an invalid number', 2, () => ['call', listening.url, 'greet', 'name=Ada', 'times=x'], /for values other than strings/],
    ['invalid JSON', 2, () => ['call', listening.url, 'greet', 'name:={'], /name is not valid JSON/],
    ['a missing file', 2, () => ['call', listening.url, 'greet', '@/no/such'], /no such file/],
    ['an invalid server', 2, () => ['list', 'nowhere'], /is not a server/],
    ['a missing module', 2, () => ['list', './no-server.js'], /no such file: \.\/no-server\.js/],
    ['a missing configuration', 2, () => ['list', 'no-mcp.json:notes'], /no such file: no-mcp\.json/],
    ['a program in quotes', 2, () => ['list', 'node server.js'], /write -- node server\.js/],
    ['a URL without a scheme', 2, () => ['list', 'localhost:3000/mcp'], /a URL starts with https/],
    ['a JSON-RPC error', 3, () => ['raw', listening.url, 'tools/nothing'], /-32601/],
    ['a closed port', 4, () => ['list', 'http://127.0.0.1:9/mcp'], /ECONNREFUSED|lost/],
    ['a program that exits', 4, () => ['list', '--', process.execPath, '-e', 'console.error("oops"); process.exit(3)'], /oops/],
    ['a program that serves nothing', 4, () => ['list', '--', process.execPath, '-e', '0'], /code 0 \(does it serve\?/],
    ['a missing program', 4, () => ['list', '--', '/no/such/program'], /no\/such/],
    ['a timeout', 5, () => ['call', listening.url, 'hang', '--timeout', '0.5'], /within 500 ms \(allow more time with --timeout/],
    [
      'a program that does not respond',
      5,
      () => [
        'list',
        '--timeout',
        '3',
        '--',
        process.execPath,
        '-e',
        'console.log("a"); console.error("b"); setInterval(() => {}, 9999)',
      ],
      /within 3000 ms.* to stdout.*: a.* to stderr: b$/,
    ],
    ['an elicitation without a terminal', 7, () => ['call', listening.url, 'ask'], /--answer/],
  ])('%s: %i', async (_title, code, args, words) => {
    const done = await portcall(args())
    expect(done.code).toBe(code)
    expect(done.err.trim()).toMatch(words)
    expect(done.err.trim().split('\n')).toHaveLength(1)
  })

  test('what a program wrote before it exited is shown line by line', async () => {
    const { code, err } = await portcall(['list', '--', process.execPath, '-e', 'throw new Error("no database")'])
    expect(code).toBe(4)
    expect(err).toMatch(/^portcall: The server .* exited with code 1\. Its last output on stderr:\n/)
    expect(err).toMatch(/\nError: no database\n {4}at /)
  })

  test('the hint fits what is wrong: a string of another value, a server without prompts', async () => {
    const input = { type: 'object', properties: { color: { type: 'string', enum: ['red'] } } } as const
    const server = createServer({ name: 'colors', version: '1.0.0' }).tool('pick', { input }, () => 'picked')
    const colors = await serve(server, { port: 0, handleProcessSignals: false })
    onTestFinished(() => colors.close())
    expect((await portcall(['call', colors.url, 'pick', 'color=blue'])).err).toMatch(/got "blue"\n$/)
    expect((await portcall(['prompt', colors.url, 'plan'])).err).toContain('(the server has no prompts)')
  })

  test('a resource that does not exist, and variables of a template', async () => {
    const read = async (...words: string[]): Promise<string> => (await portcall(['read', listening.url, ...words])).err
    expect(await read('note://none/at/all')).toMatch(/Resource not found: note:\/\/none\/at\/all \(-32602\)/)
    expect(await read('note://{id}')).toMatch(/missing variable: id \(the URI is a template: pass id=TEXT\)/)
    expect(await read('note://{id}', 'idd=1')).toMatch(/unknown variable: idd \(did you mean id\?\)/)
    expect((await portcall(['read', listening.url, 'note://{id}{?page}', 'id=7'])).out).toBe('note 7\n')
  })

  for (const signal of ['SIGTERM', 'SIGHUP'] as const)
    test(`${signal}: 130, and the program that was started ends`, async () => {
      const program = 'console.error(`program ${process.pid}`); process.stdin.resume(); setInterval(() => {}, 1000)'
      const child = start(['list', '--verbose', '--', process.execPath, '-e', program])
      const end = untilExit(child)
      const [, pid] = await untilOutput(child.stderr, /program (\d+)/)
      child.kill(signal)
      expect((await end).code).toBe(130)
      await expect.poll(() => isRunning(Number(pid))).toBe(false)
    })

  test('Ctrl-C: 130', async () => {
    const child = start(['listen', listening.url, 'tools'])
    const end = untilExit(child)
    await untilOutput(child.stderr, /Watching for changes of tools/)
    child.kill('SIGINT')
    expect((await end).code).toBe(130)
  })
})

describe('arguments', () => {
  test('from a file, from stdin, from both', async () => {
    const path = join(dir, 'args.json')
    await writeFile(path, '{"name":"File","times":2}')
    expect((await portcall(['call', listening.url, 'greet', `@${path}`])).out).toBe('Hello, File! Hello, File!\n')
    expect((await portcall(['call', listening.url, 'greet', `@${path}`, 'times=1'])).out).toBe('Hello, File!\n')
    expect((await portcall(['call', listening.url, 'greet', '@-'], { input: '{"name":"In"}' })).out).toBe('Hello, In!\n')
    expect((await portcall(['call', listening.url, 'greet', 'name=@-'], { input: 'Text' })).out).toBe('Hello, Text!\n')
  })

  test('a configuration file of a host', async () => {
    const path = join(dir, '.mcp.json')
    const servers = { demo: { command: process.execPath, args: [STDIO] }, far: { url: listening.url } }
    await writeFile(path, JSON.stringify({ mcpServers: servers }))
    expect((await portcall(['call', `${path}:demo`, 'greet', 'name=Ada'])).out).toBe('Hello, Ada!\n')
    expect((await portcall(['call', '.mcp.json:far', 'greet', 'name=Ada'], { cwd: dir })).out).toBe('Hello, Ada!\n')
    expect(await portcall(['list', `${path}:dmo`])).toMatchObject({ code: 2, err: expect.stringContaining('did you mean demo?') })
  })
})

describe('output', () => {
  test('images are summarized or saved', async () => {
    const summarized = await portcall(['call', listening.url, 'picture'])
    expect(summarized.out).toBe('[image image/png, 8 bytes; save it with --save DIR]\n')
    const { out } = await portcall(['call', listening.url, 'picture', '--save', join(dir, 'pictures')])
    const [, path = ''] = /^\[image image\/png, 8 bytes\] (.*\.png)\n$/.exec(out) ?? []
    expect((await readFile(path)).toString('base64')).toBe('iVBORw0KGgo=')
  })

  test('no progress bar in a pipe', async () => {
    expect(await portcall(['call', listening.url, 'count'])).toEqual({ code: 0, out: 'counted\n', err: '' })
  })

  test('changes', async () => {
    const child = start(['listen', listening.url, 'tools', '--count', '1', '--json'])
    const end = untilExit(child)
    await untilOutput(child.stderr, /Watching/)
    await portcall(['call', listening.url, 'change'])
    expect(await end).toMatchObject({ code: 0, out: '{"type":"tools"}\n' })
  })
})

test('the help of each command starts with its usage', async () => {
  const { commands } = JSON.parse((await portcall(['help', '--json'])).out)
  expect(commands.length).toBeGreaterThan(7)
  for (const { name, usage } of commands) expect((await portcall([name, '--help'])).out.split('\n')[0]).toBe(`Usage: ${usage}`)
})

describe('options before the command', () => {
  test.each([
    [['--json'], ['tools']],
    [['-v', '-t', '5', '--json'], ['tools']],
    [
      ['--timeout=5', '--header', 'call:1'],
      ['tools', '--json'],
    ],
  ])('%j', async (options, words) => {
    const { code, out } = await portcall([...options, 'list', listening.url, ...words])
    expect({ code, tool: JSON.parse(out).tools[0].name }).toEqual({ code: 0, tool: 'greet' })
  })

  test('--version and --help', async () => {
    const { version } = JSON.parse(await readFile(new URL('../../packages/portcall/package.json', import.meta.url), 'utf8'))
    expect(await portcall(['--version'])).toEqual({ code: 0, out: `${version}\n`, err: '' })
    expect(await portcall(['-V'])).toEqual({ code: 0, out: `${version}\n`, err: '' })
    expect((await portcall(['--help', 'list'])).out).toBe((await portcall(['list', '--help'])).out)
    expect((await portcall(['--help'])).out).toBe((await portcall([])).out)
  })

  test('the help fits a terminal', async () => {
    const { commands } = JSON.parse((await portcall(['help', '--json'])).out)
    for (const { name } of [{ name: 'help' }, ...commands])
      for (const line of (await portcall(['help', name])).out.split('\n'))
        if (!line.startsWith('  portcall')) expect(line.length).toBeLessThanOrEqual(100)
  })
})

describe('hints for missing capabilities', () => {
  test.each([
    ['ask', [], 'use --answer FIELD=VALUE'],
    ['visit', ['--answer', 'age=3'], 'without --answer'],
    ['roots', [], 'add a directory with --root DIR'],
    ['ask', ['--answer', 'color=red'], 'correct or add --answer FIELD=VALUE'],
  ])('%s %j: %s', async (tool, options, hint) => {
    const { code, err } = await portcall(['call', listening.url, tool, ...options])
    expect({ code, err: err.trim() }).toEqual({ code: 7, err: expect.stringContaining(hint) })
  })
})
