/** Output of programs that is not a message, not an MCP message, or too large. */
import { describe, expect, test } from 'vitest'
import { MIB, timed, within } from '../support/time.ts'
import { call, failureOf, healthy, open } from './support/connection.ts'
import { measure } from './support/measure.ts'
import { PROGRAMS } from './support/program.ts'

describe.each(PROGRAMS)('a program of %s', (_revision, program) => {
  /** Creates a program with a tool `big` that misbehaves and a tool that is correct. */
  const big = (body: string) =>
    program(`on['tools/call'] = (id, { name }) => { if (name !== 'big') return reply(id, text('fine')); ${body} }`)

  test('C01: 300 MB without a newline: memory is bounded, that call fails, the connection stays usable', async () => {
    const target = program(`
      let waiting
      on['tools/call'] = (id, { name }) => {
        if (name !== 'big') return waiting ? waiting.push(id) : reply(id, text('fine'))
        waiting = []
        const piece = Buffer.alloc(1 << 20, 120)
        let left = 300
        raw('{"jsonrpc":"2.0","id":' + JSON.stringify(id) + ',"result":{"content":[{"type":"text","text":"')
        const next = () => {
          while (left-- > 0) if (!raw(piece)) return process.stdout.once('drain', next)
          raw('"}]}}\\n')
          for (const id of waiting) reply(id, text('fine'))
          waiting = undefined
        }
        next()
      }`)
    const { outcome, grownBy, afterwards, ms } = await measure({ target })
    expect(outcome).toBe('INVALID_RESPONSE')
    expect(afterwards).toBe('fine')
    expect(grownBy).toBeLessThan(120 * MIB)
    expect(ms).toBeLessThan(60_000)
  })

  test('C01: 300 MB of junk without any newline, then silence: the calls time out', async () => {
    const target = big(`
      const piece = Buffer.alloc(1 << 20, 120)
      let left = 300
      const next = () => {
        while (left-- > 0) if (!raw(piece)) return process.stdout.once('drain', next)
        raw('\\n')
      }
      next()`)
    const { outcome, grownBy, afterwards } = await measure({ target, options: { timeouts: { requestTimeoutMs: 5000 } } })
    expect(outcome).toBe('TIMEOUT')
    expect(afterwards).toBe('fine')
    expect(grownBy).toBeLessThan(120 * MIB)
  })

  test('C01: a line of 50 MB within a raised limit takes linear time', async () => {
    const sized = (mib: number) => big(`reply(id, text('x'.repeat(${mib} << 20)))`)
    const limit = { maxMessageBytes: 64 * MIB } as object
    const small = await open({ ...sized(5), ...limit })
    const large = await open({ ...sized(50), ...limit })
    const short = await timed(() => call(small.client, 'big'))
    const long = await timed(async () => expect(await failureOr(large.client)).toBe(50 * MIB))
    expect(long).toBeLessThan(Math.max(3000, 40 * short))
  })

  /** Returns the length of the received text, or the code of the error. */
  async function failureOr(client: Parameters<typeof call>[0]): Promise<number | unknown> {
    return call(client, 'big', {}, 20_000).then(
      ({ length }) => length,
      ({ code }: { code?: unknown }) => code,
    )
  }

  test('C01: a line of 50 MB beyond the limit fails its call immediately, others are answered', async () => {
    const { client } = await open(big(`reply(id, text('x'.repeat(50 << 20)))`))
    const failure = failureOf(client.callTool('big'), 10_000)
    const others = Promise.all(Array.from({ length: 20 }, () => call(client, 'echo', {}, 10_000)))
    expect(await failure).toMatchObject({ code: 'INVALID_RESPONSE' })
    expect(await others).toEqual(Array.from({ length: 20 }, () => 'fine'))
    await healthy(client)
  })

  test('C02: log lines, JSON that is not a message, blank lines, CRLF and a BOM among the messages', async () => {
    const { client, events } = await open(
      big(`
        raw('Starting up ...\\n\\n\\r\\n  \\n\\t\\n')
        raw('[info] {"not": "json"\\n42\\nnull\\n"text"\\n[]\\n{}\\n[1,2]\\n{"jsonrpc":"1.0","id":1,"result":{}}\\n')
        raw('\\u001b[32mgreen\\u001b[0m\\n\\0\\0\\n{"jsonrpc":"2.0"}\\n{"jsonrpc":"2.0","method":42}\\n')
        raw('\\ufeff{"jsonrpc":"2.0","method":"notifications/message","params":{}}\\n')
        raw(JSON.stringify({ jsonrpc: '2.0', id, result: text('through') }) + '\\r\\n')`),
    )
    expect(await call(client, 'big')).toBe('through')
    await healthy(client)
    const noise = events.flatMap((event) => (event.type === 'unexpected-message' ? [event.text] : []))
    expect(noise.join('\n')).toContain('Starting up')
    expect(noise.length).toBeGreaterThan(5)
  })

  test('C02: 100,000 lines of junk take no longer per line than 10,000', async () => {
    const { client } = await open(
      big(`
        globalThis.lines = globalThis.lines ? 100000 : 10000
        raw('some log line of a library\\n'.repeat(lines)); reply(id, text('through'))`),
    )
    const few = await timed(() => call(client, 'big'))
    const many = [await timed(() => call(client, 'big')), await timed(() => call(client, 'big'))]
    expect(Math.min(...many)).toBeLessThan(30 * few)
  })

  test('C02: messages byte by byte, with characters of several bytes split', async () => {
    const { client } = await open(
      big(`
        const bytes = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, result: text('zażółć 🦀 \\u2028 漢字') }) + '\\n')
        let at = 0
        const next = () => { if (at < bytes.length) { raw(bytes.subarray(at, ++at)); setImmediate(next) } }
        next()`),
    )
    expect(await call(client, 'big')).toBe('zażółć 🦀 \u2028 漢字')
  })

  test('C02: several messages in one chunk, the last one with a delayed newline', async () => {
    const { client } = await open(
      big(`
        const line = JSON.stringify({ jsonrpc: '2.0', id, result: text('late newline') })
        raw('{"jsonrpc":"2.0","method":"notifications/x"}\\n'.repeat(50) + line)
        setTimeout(() => raw('\\n'), 100)`),
    )
    expect(await call(client, 'big')).toBe('late newline')
  })

  test('C34: a tool whose schema is 3,000 levels deep is left out and reported, the others are listed', async () => {
    const target = program(`on['tools/list'] = (id) =>
      raw('{"jsonrpc":"2.0","id":' + JSON.stringify(id) + ',"result":{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[{"name":"deep","inputSchema":' +
        '{"a":'.repeat(3000) + '{}' + '}'.repeat(3000) + '},{"name":"echo","inputSchema":{"type":"object"}}]}}\\n')`)
    const { client, events } = await open(target)
    expect((await client.tools().toArray()).map(({ name }) => name)).toEqual(['echo'])
    expect(events).toMatchObject([{ type: 'warning', message: expect.stringContaining('"deep" is left out') }])
    await healthy(client)
  })

  test('C11: responses nested 200,000 levels deep fail their call, and the connection stays usable', async () => {
    for (const [open_, close_] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      const { client } = await open(
        big(
          `raw('{"jsonrpc":"2.0","id":' + JSON.stringify(id) + ',"result":{"content":' + '${open_}'.repeat(200000) + '1' + '${close_}'.repeat(200000) + '}}\\n')`,
        ),
      )
      expect(await failureOf(client.callTool('big'))).toMatchObject({ code: 'INVALID_RESPONSE' })
      await healthy(client)
    }
  })

  test('C14: 100,000 notifications before the response', async () => {
    const { client } = await open(
      big(`
        let out = ''
        for (let n = 0; n < 100000; n++) out += '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":' + n + '}}\\n'
        raw(out)
        reply(id, text('through'))`),
    )
    expect(await timed(async () => expect(await call(client, 'big', {}, 15_000)).toBe('through'))).toBeLessThan(60_000)
    await healthy(client)
  })

  test('C15: 20,000 pings and input requests in one chunk, while the program does not read', async () => {
    const { client } = await open(
      big(`
        let out = ''
        for (let n = 0; n < 20000; n++) out += JSON.stringify({ jsonrpc: '2.0', id: 's' + n, method: n % 2 ? 'ping' : 'roots/list' }) + '\\n'
        process.stdin.pause()
        raw(out)
        reply(id, text('through'))
        setTimeout(() => process.stdin.resume(), 500)`),
    )
    expect(await call(client, 'big', {}, 10_000)).toBe('through')
    expect(await call(client, 'echo', {}, 10_000)).toBe('fine')
  })

  test('C16: invalid UTF-8 fails the call that it answers', async () => {
    const { client } = await open(
      big(`raw(Buffer.concat([Buffer.from('{"jsonrpc":"2.0","id":' + JSON.stringify(id) + ',"result":{"content":[{"type":"text","text":"'),
        Buffer.from([0xff, 0xfe, 0xc0, 0x80]), Buffer.from('"}]}}\\n')]))`),
    )
    expect(await failureOf(client.callTool('big'))).toMatchObject({ code: 'INVALID_RESPONSE' })
    await healthy(client)
  })

  test('C01: a flood on stderr is read, and only its end is stored', async () => {
    const { client } = await open(
      big(`
        for (let n = 0; n < 50; n++) process.stderr.write('e'.repeat(1 << 20))
        process.stderr.write('the last words', () => process.exit(9))`),
    )
    const failure = await failureOf(client.callTool('big'), 8000)
    expect(failure).toMatchObject({ code: 'CONNECTION_LOST', exit: { code: 9 } })
    expect(failure.message).toContain('the last words')
    expect(failure.message.length).toBeLessThan(6000)
  })

  test('C15: a program that does not read its stdin: 60 MB of calls are queued, and all time out', async () => {
    const { client } = await open(
      program(
        `on['tools/call'] = (id) => reply(id, text('fine')); on['stop'] = (id) => { reply(id, {}); process.stdin.pause(); setInterval(() => {}, 1000) }`,
      ),
    )
    await client.request('stop')
    const text = 'x'.repeat(MIB)
    const calls = Array.from({ length: 60 }, () =>
      client.callTool('echo', { text } as never, { timeouts: { requestTimeoutMs: 500 } }),
    )
    const outcomes = await within(5000, Promise.allSettled(calls), 'the end of all')
    for (const outcome of outcomes) expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'TIMEOUT' } })
    expect(await timed(() => client.close())).toBeLessThan(35_000)
  })
})
