import { createRequire } from 'node:module'
import { encode } from 'gpt-tokenizer'
import { type CallToolResult, createServer, deriveContext, type Middleware, type Server } from 'portcall'
import { type Client, connect } from 'portcall/client'
import { type CodeModeOptions, codeMode, hide, transform } from 'portcall/compose'
import { describe, expect, test } from 'vitest'
import { GITHUB_TOOLS } from './support/github.ts'
import { serveTools } from './support/serve-tools.ts'

const QUICKJS = createRequire(import.meta.url).resolve('quickjs-emscripten')

const textOf = ({ content }: CallToolResult): string => content.map((block) => ('text' in block ? block.text : '')).join('\n')

function createShop(options: CodeModeOptions = {}): Server {
  return createServer({ name: 'shop', version: '1' })
    .tool(
      'list_orders',
      { output: { type: 'object', properties: { ids: { type: 'array', items: { type: 'number' } } } } },
      () => ({ ids: [1, 2, 3] }),
    )
    .tool(
      'get-order',
      { input: { type: 'object', properties: { id: { type: 'number' } }, required: ['id'] } },
      ({ id }) => `order ${id}`,
    )
    .tool('fail', {}, () => {
      throw new Error('secret detail')
    })
    .tool('ask', {}, async (_args, call) => JSON.stringify(await call.elicit('Sure?', { type: 'object', properties: {} })))
    .tool('slow', {}, () => new Promise<string>((resolve) => setTimeout(() => resolve('slow'), 3_600_000).unref()))
    .tool('wipe', { visible: ({ auth }) => auth !== undefined }, () => 'wiped')
    .use(codeMode({ quickjs: QUICKJS, ...options }))
}

async function run(code: string, options?: CodeModeOptions): Promise<CallToolResult> {
  await using client = await connect(createShop(options), { elicit: () => ({ action: 'accept', content: {} }) })
  return await client.callTool('run_code', { code })
}

test.each([
  ['return 5n', '5', false],
  ['return { id: 9007199254740993n }', '{"id":"9007199254740993"}', false],
  ['const a = {}; a.a = a; return a', 'circular', true],
  ['return { toJSON() { throw new Error("no JSON") } }', 'no JSON', true],
  ['return await tools.nope?.({})', 'null', false],
  ['return "list_orders" in tools', 'true', false],
  ['return (await tools.list_orders()).ids', '[1,2,3]', false],
])('the program %s ends with %s', async (code, expected, isError) => {
  const result = await run(code)
  expect(textOf(result)).toContain(expected)
  expect(result.isError === true).toBe(isError)
})

describe('shares and ends of programs', () => {
  const as =
    (principal: string): Middleware =>
    (request, context, next) =>
      next(request, deriveContext(context, { auth: { principal } }))
  const WAIT = 'return await tools.wait()'

  /** A shop whose tool `wait` waits until it is aborted, and counts its calls. */
  function createWaiting(options: CodeModeOptions = {}) {
    const calls = { running: 0, aborted: 0 }
    const server = createServer({ name: 'waiting', version: '1' })
      .tool('wait', {}, (_args, { signal }) => {
        calls.running++
        return new Promise<string>((resolve) =>
          signal.addEventListener('abort', () => {
            calls.running--
            calls.aborted++
            resolve('aborted')
          }),
        )
      })
      .use(codeMode({ quickjs: QUICKJS, ...options }))
    return { server, calls }
  }

  test('one caller at its limit does not keep another from running programs', async () => {
    const { server, calls } = createWaiting({ limits: { maxPrograms: 2 } })
    await using eve = await connect(server, { middleware: [as('eve')] })
    await using ada = await connect(server, { middleware: [as('ada')] })
    const leaving = new AbortController()
    const running = [1, 2].map(() =>
      eve.callTool('run_code', { code: WAIT }, { signal: leaving.signal }).catch((error: unknown) => error),
    )
    await expect.poll(() => calls.running).toBe(2)
    expect(textOf(await eve.callTool('run_code', { code: 'return 1' }))).toContain('Too many programs')
    expect(textOf(await ada.callTool('run_code', { code: 'return 1' }))).toBe('1')
    leaving.abort()
    await Promise.all(running)
    await expect.poll(async () => textOf(await eve.callTool('run_code', { code: 'return 2' }))).toBe('2')
  })

  test.each([
    ['returns', 'for (let at = 0; at < 100; at++) void tools.wait()\nreturn "ended"', 'ended', {}],
    ['fails', 'for (let at = 0; at < 100; at++) void tools.wait()\nthrow new Error("mine")', 'mine', {}],
    [
      'takes too long',
      'await Promise.all(Array.from({ length: 100 }, () => tools.wait()))',
      'took more than',
      // Enough for the calls to start on a busy machine.
      { timeoutMs: 8000 },
    ],
  ])('the calls of a program that %s end with it, without warnings', async (_what, code, expected, limits) => {
    const warnings: Error[] = []
    const onWarning = (warning: Error): void => void warnings.push(warning)
    process.on('warning', onWarning)
    const { server, calls } = createWaiting({ limits })
    await using client = await connect(server)
    expect(textOf(await client.callTool('run_code', { code }))).toContain(expected)
    await expect.poll(() => calls).toEqual({ running: 0, aborted: 100 })
    process.off('warning', onWarning)
    expect(warnings).toEqual([])
  })

  test('the calls of a program end when its caller leaves', async () => {
    const { server, calls } = createWaiting()
    await using client = await connect(server)
    const leaving = new AbortController()
    const left = client.callTool('run_code', { code: WAIT }, { signal: leaving.signal }).catch((error: unknown) => error)
    await expect.poll(() => calls.running).toBe(1)
    leaving.abort()
    await left
    await expect.poll(() => calls).toEqual({ running: 0, aborted: 1 })
  })
})

describe('a program', () => {
  test('calls tools as typed functions, and only its result is returned', async () => {
    await using client = await connect(createShop())
    const [tool, ...others] = await client.tools().toArray()
    expect(others).toEqual([])
    expect(tool?.description).toContain('tools.list_orders(): Promise<{ ids?: Array<number> }>')
    expect(tool?.description).toContain('tools.get_order(args: { id: number }): Promise<string>')
    expect(tool?.description).not.toContain('wipe')
    const result = await client.callTool('run_code', {
      code: 'const { ids } = await tools.list_orders()\nconst all = await Promise.all(ids.map((id) => tools.get_order({ id })))\nconsole.log("found", all.length)\nreturn { last: all.at(-1) }',
    })
    expect(textOf(result)).toBe('found 3\n{"last":"order 3"}')
    expect(textOf(await client.callTool('run_code', { code: '```js\nreturn 1 + 1\n```' }))).toBe('2')
  })

  test.each([
    ['a syntax error', 'return (', /SyntaxError/],
    ['an exception', 'throw new Error("mine")', /^mine$/],
    ['a tool that fails', 'return await tools.fail()', /^The tool failed\. Reference: \w+$/],
    ['invalid arguments', 'return await tools.get_order({})', /Invalid arguments/],
    ['a tool that asks the user', 'return await tools.ask()', /asks the user/],
    ['a tool that the caller may not see', 'return await tools.wipe()', /not a function/],
    ['something that never happens', 'await new Promise(() => {})', /never happens/],
  ])('ends with an error: %s', async (_title, code, message) => {
    const result = await run(code)
    expect(result.isError).toBe(true)
    expect(textOf(result)).toMatch(message)
  })

  test('an error of a tool can be caught', async () => {
    expect(textOf(await run('try { await tools.fail() } catch (error) { return "caught" }'))).toBe('caught')
  })
})

describe('the sandbox', () => {
  const LIMITS = { limits: { cpuTimeMs: 3000, memoryBytes: 8 * 1024 * 1024, maxCalls: 5, maxOutputBytes: 1000 } }

  test.each(['process', 'require', 'fetch', 'XMLHttpRequest', 'WebAssembly', 'setTimeout', 'globalThis.$send', 'import.meta'])(
    'has no %s',
    async (name) => {
      const result = await run(`return typeof ${name}`, LIMITS)
      expect(textOf(result)).toMatch(/^undefined$|SyntaxError/)
    },
  )

  test.each([
    [
      'the constructor of a function',
      'return tools.list_orders.constructor("return typeof process + typeof require + typeof fetch")()',
      /^undefinedundefinedundefined$/,
    ],
    [
      'the constructor of an error',
      'try { await tools.fail() } catch (e) { return e.constructor.constructor("return typeof process")() }',
      /^undefined$/,
    ],
    ['an import', 'return await import("node:fs")', /./],
    [
      'a changed prototype',
      'Object.prototype.name = "get-order"; Array.prototype.map = () => { throw 1 }; JSON.stringify = () => "{}"; Promise.prototype.then = () => 1; return await tools.get_order({ id: 7 })',
      /order 7|never happens/,
    ],
    ['another tool name', 'return await tools["wipe"]?.()', /^null$/],
    ['a frozen object', '"use strict"; tools.wipe = 1; return 1', /read-only|not extensible|extensible/],
    ['a stack overflow', 'const f = () => f(); return f()', /stack|InternalError|RangeError|Maximum/i],
  ])('does not give in to %s', async (_title, code, expected) => {
    expect(textOf(await run(code, LIMITS))).toMatch(expected)
  })

  test('a prototype that a program changes does not change this process', async () => {
    await run(
      'const polluted = JSON.parse(\'{"__proto__": {"polluted": 1}, "id": 1}\'); await tools.get_order(polluted); Object.prototype.polluted = 1; return 1',
      LIMITS,
    )
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
  })

  test.each([
    ['a loop', 'while (true) {}', /computed for more than/],
    ['a loop after a call', 'await tools.list_orders(); for (;;) {}', /computed for more than/],
    ['a loop that catches everything', 'for (;;) { try { for (;;) {} } catch {} }', /computed for more than/],
    [
      'a flood of promises',
      'const f = () => Promise.resolve().then(f); f(); await new Promise(() => {})',
      /computed for more than|memory/,
    ],
    ['a slow regular expression', 'return /^(a+)+$/.test("a".repeat(40) + "b")', /computed for more than|false|interrupted/],
    ['a built-in function that never ends', 'return [].indexOf.call({ length: 2 ** 53 - 1 }, 1)', /computed for more than/],
    ['memory', 'const all = []; for (;;) all.push(new Array(10000).fill(1))', /memory|computed for more than/],
    ['one large value', 'return "x".repeat(2 ** 29).length', /memory|length|InternalError/],
    ['too many calls', 'for (let i = 0; i < 100; i++) await tools.list_orders()', /called tools 5 times/],
    ['a tool that takes too long', 'return await tools.slow()', /took more than 2000 ms/],
  ])('ends %s', async (_title, code, message) => {
    const result = await run(code, {
      limits: {
        ...LIMITS.limits,
        timeoutMs: code.includes('slow()') ? 2000 : 60_000,
        ...(message.source.startsWith('computed') && { cpuTimeMs: 300 }),
      },
    })
    expect(result.isError).toBe(true)
    expect(textOf(result)).toMatch(message)
  })

  test('cuts large output off', async () => {
    const text = textOf(
      await run('for (let i = 0; i < 1000; i++) console.log("y".repeat(100)); return "x".repeat(100000)', LIMITS),
    )
    expect(text.length).toBeLessThan(3000)
  })

  test('is ended when the caller cancels the request', async () => {
    await using client = await connect(createShop())
    const controller = new AbortController()
    const call = client.callTool('run_code', { code: 'return await tools.slow()' }, { signal: controller.signal })
    setTimeout(() => controller.abort(), 500)
    await expect(call).rejects.toThrow()
  })

  test('runs a limited number of programs at the same time', async () => {
    await using client = await connect(createShop({ limits: { maxPrograms: 1, timeoutMs: 3000 } }))
    const [one, other] = await Promise.all(
      ['return await tools.slow()', 'return 1'].map((code) => client.callTool('run_code', { code })),
    )
    expect([one, other].map((result) => result && textOf(result)).sort()).toEqual([
      expect.stringContaining('took more than'),
      expect.stringContaining('Too many programs'),
    ])
  })
})

test('what is hidden cannot be called, and programs find functions among more than 1,000', async () => {
  const server = serveTools('github', GITHUB_TOOLS)
    .use(codeMode({ quickjs: QUICKJS }))
    .use(transform(hide('repos_delete')))
  await using client: Client = await connect(server)
  const listed = await client.tools().toArray()
  expect(listed.map(({ name }) => name)).toEqual(['find_functions', 'run_code'])
  const found = textOf(await client.callTool('find_functions', { query: 'open an issue' }))
  expect(found).toContain('tools.issues_create(args: {')
  const created = await client.callTool('run_code', {
    code: 'return (await tools.issues_create({ owner: "o", repo: "r", title: "t" }))',
  })
  expect(JSON.parse(textOf(created))).toEqual({ name: 'issues_create', args: { owner: 'o', repo: 'r', title: 't' } })
  expect(
    textOf(await client.callTool('run_code', { code: 'return await tools.repos_delete({ owner: "o", repo: "r" })' })),
  ).toContain('not a function')
  const before = encode(JSON.stringify(GITHUB_TOOLS)).length
  const start = encode(JSON.stringify(listed)).length
  const task = start + encode(found).length
  console.log(
    `${GITHUB_TOOLS.length} tools: ${before} tokens as they are; with code mode ${start} at the start, ${task} after a search`,
  )
  expect(task).toBeLessThan(before / 20)
}, 60_000)
