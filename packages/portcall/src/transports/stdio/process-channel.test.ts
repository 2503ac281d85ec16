import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, type Readable, type Writable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { ChannelInput } from '../../jsonrpc/channel.ts'
import { notification } from '../../jsonrpc/message.ts'
import { pipeChannel } from './pipe-channel.ts'

const folder = mkdtempSync(join(tmpdir(), 'portcall-process-'))
const built = join(folder, 'process.mjs')
const children = new Set<Child>()

type Child = ChildProcessByStdio<Writable, Readable, Readable>

interface Program {
  child: Child
  send(...messages: unknown[]): void
  /** Returns the messages received over stdout so far. */
  messages(): unknown[]
  stderr(): string
  exit: Promise<[code: number | null, signal: string | null]>
}

beforeAll(async () => {
  const bundle = await rolldown({
    input: fileURLToPath(new URL('process-channel.ts', import.meta.url)),
    platform: 'node',
    tsconfig: false,
  })
  await bundle.write({ file: built, format: 'esm' })
  await bundle.close()
})

afterEach(() => {
  for (const child of children) child.kill('SIGKILL')
  children.clear()
})

afterAll(() => rmSync(folder, { recursive: true }))

/** Runs a program in a child process. The program can use `channel` and `answer(id)`. */
function run(source: string, reads = true, options = '{}'): Program {
  const head = `
    import { processChannel } from ${JSON.stringify(pathToFileURL(built).href)}
    const channel = processChannel(${options})
    const answer = (id, result = {}) => channel.send({ jsonrpc: '2.0', id, result })
  `
  const child = spawn(process.execPath, ['--input-type=module', '--eval', head + source], { stdio: ['pipe', 'pipe', 'pipe'] })
  children.add(child)
  let [out, err] = ['', '']
  if (reads) child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text))
  child.stdin.on('error', () => {})
  const exit = once(child, 'close') as Program['exit']
  return {
    child,
    send: (...messages) => void child.stdin.write(messages.map((message) => `${JSON.stringify(message)}\n`).join('')),
    messages: () =>
      out
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as unknown),
    stderr: () => err,
    exit,
  }
}

async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; tries < 1000 && !condition(); tries++) await wait(10)
  expect(condition()).toBe(true)
}

describe('the channel of a process', () => {
  test('STDIO-002, STDIO-003, S19: 20,000 messages in one write are answered, once each and in order', async () => {
    const echo = run('channel.receive(({ value }) => answer(value.id), () => channel.close())')
    const ids = Array.from({ length: 20_000 }, (_, id) => id)
    echo.send(...ids.map((id) => ({ jsonrpc: '2.0', id, method: 'ping' })))
    echo.child.stdin.end()
    expect(await echo.exit).toEqual([0, null])
    expect(echo.messages()).toEqual(ids.map((id) => ({ jsonrpc: '2.0', id, result: {} })))
  })

  test('STDIO-005: text printed to stdout goes to stderr, with one warning that names its origin', async () => {
    const noisy = run(`
      function chatty() { console.log('one') }
      channel.receive(({ value }) => {
        chatty()
        process.stdout.write('two\\n', () => console.info('three'))
        answer(value.id)
      }, () => channel.close())
    `)
    noisy.send({ jsonrpc: '2.0', id: 1, method: 'ping' })
    await until(() => noisy.stderr().includes('three'))
    noisy.child.stdin.end()
    expect(await noisy.exit).toEqual([0, null])
    expect(noisy.messages()).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }])
    expect(noisy.stderr()).toMatch(/WARNING[\s\S]*console\.error[\s\S]*chatty[\s\S]*one\ntwo\nthree\n/)
    expect(noisy.stderr().split('WARNING').length).toBe(2)
  })

  test('S10, STDIO-017: after stdin has ended, responses are sent, and close ends the process', async () => {
    const slow = run(`
      channel.receive(() => {}, () => setTimeout(() => {
        answer(1, { text: 'x'.repeat(3_000_000) })
        channel.close().then(() => { answer(2); process.exit(7) })
      }, 50))
    `)
    slow.child.stdin.end('{"jsonrpc":"2.0","id":1,"method":"ping"}')
    expect(await slow.exit).toEqual([7, null])
    expect(JSON.stringify(slow.messages()).length).toBeGreaterThan(3_000_000)
    expect(slow.messages().length).toBe(1)
  })

  test('a last line without line break is delivered before the close', async () => {
    const program = run("channel.receive(({ value }) => answer(value.id), () => { answer('closed'); channel.close() })")
    program.child.stdin.end('{"jsonrpc":"2.0","id":1,"method":"ping"}')
    await program.exit
    expect(program.messages()).toMatchObject([{ id: 1 }, { id: 'closed' }])
  })

  test('after close, an idle process exits', async () => {
    const program = run('channel.receive(() => {}, () => console.error("closed")); setTimeout(() => channel.close(), 50)')
    expect(await program.exit).toEqual([0, null])
    expect(program.stderr()).toBe('closed\n')
  })

  test('S11: a client that closes stdout while a response is pending closes the channel without an error', async () => {
    const program = run(`
      let closes = 0
      channel.receive(({ value }) => {
        console.error('ready')
        setInterval(() => answer(value.id, { text: 'x'.repeat(100_000) }), 5)
      }, () => { closes++; setTimeout(() => { console.error('closes', closes); process.exit(3) }, 100) })
    `)
    program.send({ jsonrpc: '2.0', id: 1, method: 'ping' })
    await until(() => program.stderr().includes('ready'))
    program.child.stdout.destroy()
    expect(await program.exit).toEqual([3, null])
    expect(program.stderr()).toBe('ready\ncloses 1\n')
  })

  test('S11: a client that exits does not crash the process', async () => {
    const program = run(`
      channel.receive(() => {}, () => {
        console.log('to a broken stderr')
        answer(1)
        setTimeout(() => channel.close().then(() => process.exit(4)), 100)
      })
      answer(0)
    `)
    await until(() => program.messages().length === 1)
    program.child.stdout.destroy()
    program.child.stderr.destroy()
    program.child.stdin.destroy()
    const [code] = (await once(program.child, 'exit')) as [number]
    expect(code).toBe(4)
  })

  test('S12: 60 MB to a client that does not read are buffered within the limit, and arrive when it reads', async () => {
    const program = run(
      `
      channel.receive(() => {}, () => channel.close())
      let most = 0
      setInterval(() => { most = Math.max(most, process.memoryUsage().rss); console.error(JSON.stringify({ sent, most })) }, 50).unref()
      let sent = 0
      const text = 'x'.repeat(60_000)
      for (; sent < 1000; sent++) await channel.send({ jsonrpc: '2.0', method: 'flood', params: { text } })
    `,
      false,
    )
    await until(() => program.stderr().split('\n').length > 5)
    const report = (): { sent: number; most: number } => JSON.parse(program.stderr().trim().split('\n').at(-1) ?? '{}')
    expect(report().sent).toBeLessThan(100)
    let lines = 0
    program.child.stdout.on('data', (chunk: Buffer) => (lines += chunk.toString('latin1').split('\n').length - 1))
    await until(() => lines === 1000)
    expect(report().most).toBeLessThan(150 * 1024 * 1024)
    program.child.stdin.end()
    expect(await program.exit).toEqual([0, null])
  })

  test('S12: reading from a client that does not read is paused', async () => {
    const program = run(
      `
      let asked = 0
      channel.receive(({ value }) => { asked++; answer(value.id, { text: 'x'.repeat(50_000) }) }, () => channel.close())
      setInterval(() => console.error(asked), 50).unref()
    `,
      false,
    )
    for (let id = 0; id < 1000; id++) program.send({ jsonrpc: '2.0', id, method: 'ping', params: { text: 'y'.repeat(5000) } })
    await until(() => program.stderr().split('\n').length > 8)
    expect(Number(program.stderr().trim().split('\n').at(-1))).toBeLessThan(200)
    let lines = 0
    program.child.stdout.on('data', (chunk: Buffer) => (lines += chunk.toString('latin1').split('\n').length - 1))
    await until(() => lines === 1000)
  })

  test('S08, S09: 150 MB without a newline are reported once, and the next line is parsed', async () => {
    const program = run(`
      channel.receive((received) => {
        const rss = process.memoryUsage().rss
        if ('value' in received) answer(received.value.id, { rss })
        else answer(received.unreadable)
      }, () => channel.close())
    `)
    const chunk = Buffer.alloc(1024 * 1024, 'x')
    for (let sent = 0; sent < 150; sent++) if (!program.child.stdin.write(chunk)) await once(program.child.stdin, 'drain')
    program.child.stdin.end('\n{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
    expect(await program.exit).toEqual([0, null])
    const [first, second] = program.messages() as [unknown, { result: { rss: number } }]
    expect(first).toMatchObject({ id: 'size' })
    expect(second.result.rss).toBeLessThan(150 * 1024 * 1024)
  })

  test('close does not wait longer than the timeout for a client that does not read', async () => {
    const program = run(
      `
      channel.receive(() => {}, () => {})
      answer(1, { text: 'x'.repeat(3_000_000) })
      channel.close().then(() => process.exit(5))
    `,
      false,
      '{ flushTimeoutMs: 100 }',
    )
    expect(await once(program.child, 'exit')).toEqual([5, null])
  })

  test('a process whose stdin has ended can still respond', async () => {
    const program = run(`
      channel.receive(() => process.stdin.destroy(), () => setTimeout(() => { answer(1); channel.close() }, 50))
    `)
    program.send({ jsonrpc: '2.0', id: 1, method: 'ping' }, { jsonrpc: '2.0', id: 2, method: 'ping' })
    expect(await program.exit).toEqual([0, null])
    expect(program.messages()).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }])
  })

  test('a second channel on stdin and stdout is an error', async () => {
    const program = run('try { processChannel() } catch (error) { console.error(error.message) }')
    await program.exit
    expect(program.stderr()).toMatch(/already in use by a channel/)
  })
})

describe('a channel of streams', () => {
  test('combines the messages of one tick in one write', async () => {
    const [readable, writable] = [new PassThrough(), new PassThrough()]
    const chunks: string[] = []
    writable.on('data', (chunk: Buffer) => chunks.push(chunk.toString()))
    const channel = pipeChannel({ readable, writable })
    for (let at = 0; at < 20; at++) void Promise.resolve().then(() => channel.send(notification(`n${at}`)))
    await wait(10)
    expect(chunks.length).toBe(1)
    expect(chunks[0]?.split('\n').length).toBe(21)
  })

  test('writes the first messages of many while the others are made', async () => {
    const [readable, writable] = [new PassThrough(), new PassThrough()]
    const chunks: string[] = []
    writable.on('data', (chunk: Buffer) => chunks.push(chunk.toString()))
    const channel = pipeChannel({ readable, writable })
    for (let at = 0; at < 10_000; at++) void channel.send(notification(`n${at}`))
    await wait(10)
    const sizes = chunks.map(({ length }) => length)
    expect(sizes[0]).toBeLessThan(3000)
    expect(sizes.length).toBeLessThan(20)
    expect(chunks.join('').split('\n').length).toBe(10_001)
  })

  test('closes once when its readable side fails, and receives nothing after that', async () => {
    const [readable, writable] = [new PassThrough(), new PassThrough()]
    const seen: Array<ChannelInput | 'close'> = []
    pipeChannel({ readable, writable }).receive(
      (received) => seen.push(received),
      () => seen.push('close'),
    )
    readable.write('1\n2')
    await wait(10)
    readable.destroy(new Error('broken'))
    await wait(10)
    expect(seen).toEqual([{ value: 1 }, 'close'])
  })

  test('reports a close that happened before receive was called', async () => {
    const [readable, writable] = [new PassThrough(), new PassThrough()]
    const channel = pipeChannel({ readable, writable })
    readable.destroy()
    await wait(10)
    let closes = 0
    channel.receive(
      () => {},
      () => closes++,
    )
    await wait(10)
    expect(closes).toBe(1)
  })

  test('STDIO-021: carries messages over a socket, in both directions, until one side closes', async () => {
    const server = createServer((socket) => {
      const channel = pipeChannel({ readable: socket, writable: socket, pauseWhenFull: true })
      channel.receive(
        (received) => void ('value' in received && channel.send(notification('echo', { value: received.value }))),
        () => void channel.close(),
      )
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const socket = connect(typeof address === 'object' && address ? address.port : 0, '127.0.0.1')
    const channel = pipeChannel({ readable: socket, writable: socket })
    const seen: ChannelInput[] = []
    const closed = new Promise<void>((resolve) =>
      channel.receive(
        (received) => seen.push(received),
        () => resolve(),
      ),
    )
    for (let at = 0; at < 3; at++) void channel.send(notification('n', { at, text: 'x'.repeat(1_000_000) }))
    await until(() => seen.length === 3)
    await channel.close()
    await closed
    server.close()
    await once(server, 'close')
  })
})
