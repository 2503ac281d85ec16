import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { eventually } from '../../../test-kit/eventually.ts'
import type { ConnectionLostError } from '../../jsonrpc/errors.ts'
import type { JsonObject, Notification, Response } from '../../jsonrpc/message.ts'
import type { UnexpectedMessage } from '../../jsonrpc/unexpected-message.ts'
import { createChannelConnection } from '../../legacy/client/channel-connection.ts'
import { openLegacyClient } from '../../legacy/client/client.ts'
import { createChannelExchange } from './client.ts'
import { type SpawnedChannel, type SpawnOptions, spawnChannel } from './spawn.ts'

/** Tests that send signals, run shell scripts or look into /proc. */
const onUnix = test.skipIf(process.platform === 'win32')
const onLinux = test.skipIf(process.platform !== 'linux')

const folder = mkdtempSync(join(tmpdir(), 'portcall-spawn-'))
const started: SpawnedChannel[] = []

afterAll(() => rmSync(folder, { recursive: true }))
afterEach(async () => {
  await Promise.all(started.splice(0).map((channel) => channel.close()))
  expect(process.listenerCount('exit')).toBe(0)
})

/** The prelude of the test programs, which defines `on(method, handler)`, `answer` and `say`. */
const HEAD = `
  const handlers = {}
  const on = (method, handler) => (handlers[method] = handler)
  const say = (text, done) => process.stdout.write(text, done)
  const send = (message) => say(JSON.stringify(message) + '\\n')
  const answer = (id, result = {}) => send({ jsonrpc: '2.0', id, result })
  let rest = ''
  process.stdin.setEncoding('utf8').on('data', (text) => {
    const lines = (rest + text).split('\\n')
    rest = lines.pop()
    for (const line of lines) {
      const message = JSON.parse(line)
      handlers[message.method] ? handlers[message.method](message) : message.id !== undefined && message.method && answer(message.id, { pid: process.pid })
    }
  })
`

interface Program {
  readonly channel: SpawnedChannel
  readonly noise: UnexpectedMessage[]
  call(
    method: string,
    params?: JsonObject,
    more?: { signal?: AbortSignal; notify?: (notification: Notification) => void },
  ): Promise<Response>
  close(): Promise<void>
}

function run(source: string, options: Partial<SpawnOptions> = {}): Program {
  const channel = spawnChannel({ command: process.execPath, args: ['--eval', HEAD + source], ...options })
  started.push(channel)
  const noise: UnexpectedMessage[] = []
  const { exchange } = createChannelExchange(channel, { onUnexpectedMessage: (one) => noise.push(one) })
  let id = 0
  return {
    channel,
    noise,
    call: (method, params, { signal = new AbortController().signal, notify = () => {} } = {}) =>
      exchange({ jsonrpc: '2.0', id: `call-${++id}`, method, ...(params && { params }) }, { signal, notify }),
    close: () => channel.close(),
  }
}

function isRunning(pid: unknown): boolean {
  try {
    process.kill(Number(pid), 0)
    // A zombie has exited too.
    const stat = `/proc/${String(pid)}/stat`
    return !existsSync(stat) || !/^\d+ \(.*\) Z/.test(readFileSync(stat, 'utf8'))
  } catch {
    return false
  }
}

const pidOf = (response: Response): unknown => ('result' in response ? response.result.pid : undefined)
const lost = (promise: Promise<unknown>): Promise<ConnectionLostError> =>
  promise.then(
    () => Promise.reject(new Error('it was answered')),
    (error: unknown) => error as ConnectionLostError,
  )
async function timed<T>(promise: Promise<T>): Promise<[value: T, ms: number]> {
  const startedAt = performance.now()
  return [await promise, performance.now() - startedAt]
}

describe('the output of a child', () => {
  test('STDIO-002: requests are answered with their original ids', async () => {
    const program = run("on('echo', ({ id, params }) => answer(id, { params, id }))")
    const all = await Promise.all([1, 2, 3].map((n) => program.call('echo', { n, text: 'ä€\u{1f600}\n' })))
    expect(all).toMatchObject([
      { id: 'call-1', result: { params: { n: 1 }, id: 1 } },
      { id: 'call-2', result: { params: { n: 2 }, id: 2 } },
      { id: 'call-3', result: { params: { n: 3, text: 'ä€\u{1f600}\n' }, id: 3 } },
    ])
  })

  test('C02: other text on stdout is reported; blank lines and CRLF are accepted', async () => {
    const program = run(`
      say('Server is listening\\n\\n \\r\\n{"level":30}\\n[1,2]\\n')
      on('odd', ({ id }) => say('\\u001b[32mdone\\u001b[0m\\r\\n' + JSON.stringify({ jsonrpc: '2.0', id, result: { odd: true } }) + '\\r\\n'))
    `)
    expect(await program.call('odd')).toMatchObject({ result: { odd: true } })
    expect(program.noise).toEqual([
      { kind: 'syntax', text: 'Server is listening' },
      { kind: 'message', text: '{"level":30}' },
      { kind: 'message', text: '1' },
      { kind: 'message', text: '2' },
      { kind: 'syntax', text: '\u001b[32mdone\u001b[0m' },
    ])
  })

  test('C16, S06: characters may be split between chunks; invalid UTF-8 fails its request', async () => {
    const program = run(`
      const bytes = (id) => Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, result: { text: 'ä€\\u{1f600}' } }) + '\\n')
      on('split', async ({ id }) => { for (const byte of bytes(id)) { process.stdout.write(Buffer.of(byte)); await new Promise(setImmediate) } })
      on('broken', ({ id }) => process.stdout.write(Buffer.concat([Buffer.from('{"jsonrpc":"2.0","id":' + id + ',"result":{"text":"'), Buffer.of(0xff, 0xfe), Buffer.from('"}}\\n')])))
    `)
    expect(await program.call('split')).toMatchObject({ result: { text: 'ä€\u{1f600}' } })
    await expect(program.call('broken')).rejects.toMatchObject({ code: 'INVALID_RESPONSE' })
    expect(await program.call('ping')).toMatchObject({ result: {} })
  })

  test('a line of 50 MB takes linear time; beyond the limit it fails its request, wherever its id is, and the connection stays open', async () => {
    const source = `
      const text = 'x'.repeat(50 * 1024 * 1024)
      on('first', ({ id }) => answer(id, { text }))
      on('last', ({ id }) => send({ result: { text, id: 7 }, jsonrpc: '2.0', id }))
      on('error', ({ id }) => send({ jsonrpc: '2.0', id, error: { code: 1, message: text } }))
      on('hidden', ({ id }) => { send({ result: { text }, id, extra: [1] }); answer(id) })
    `
    const large = run(source, { maxMessageBytes: 64 * 1024 * 1024 })
    const [response, ms] = await timed(large.call('first'))
    expect(JSON.stringify(response).length).toBeGreaterThan(50 * 1024 * 1024)
    expect(ms).toBeLessThan(50_000)
    const small = run(source)
    for (const method of ['first', 'last', 'error'])
      await expect(small.call(method)).rejects.toMatchObject({
        code: 'INVALID_RESPONSE',
        message: expect.stringContaining('larger') as string,
      })
    expect(small.noise).toEqual([])
    expect(await small.call('hidden')).toMatchObject({ result: {} })
    expect(small.noise).toMatchObject([{ kind: 'size', text: expect.stringMatching(/^\{"result":\{"text":"xxx/) as string }])
    expect(await small.call('ping')).toMatchObject({ result: {} })
  })

  test('C01: 300 MB without a newline use little memory, and pending requests fail when the child exits', async () => {
    const program = run(`
      const chunk = Buffer.alloc(1024 * 1024, 'x')
      on('flood', async () => { for (let sent = 0; sent < 300; sent++) if (!process.stdout.write(chunk)) await new Promise((resolve) => process.stdout.once('drain', resolve)); process.exit(3) })
    `)
    const before = process.memoryUsage().rss
    expect(await lost(program.call('flood'))).toMatchObject({ code: 'CONNECTION_LOST', exit: { code: 3 } })
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024)
    expect(program.noise.map(({ kind }) => kind)).toEqual(['size'])
  })

  test('C11: nesting beyond the limit fails its request', async () => {
    const program = run(
      "on('deep', ({ id }) => say('{\"jsonrpc\":\"2.0\",\"id\":' + id + ',\"result\":{\"a\":' + '['.repeat(500000) + ']'.repeat(500000) + '}}\\n'))",
    )
    await expect(program.call('deep')).rejects.toMatchObject({
      code: 'INVALID_RESPONSE',
      message: expect.stringContaining('deep') as string,
    })
    expect(await program.call('ping')).toMatchObject({ result: {} })
  })

  test('C15, STDIO-010: 20,000 requests of a modern server are ignored', async () => {
    const program = run(`
      let received = 0
      process.stdin.on('data', (text) => (received += text.split('\\n').length - 1))
      on('storm', ({ id }) => { say(Array.from({ length: 20000 }, (_, id) => JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' }) + '\\n').join('')); answer(id) })
      on('received', ({ id }) => setTimeout(() => answer(id, { received }), 50))
    `)
    expect(await program.call('storm')).toMatchObject({ result: {} })
    expect(program.noise.length).toBe(20_000)
    expect(await program.call('received')).toMatchObject({ result: { received: 2 } })
  })

  test('C15, LIFE-027: 20,000 pings of a legacy server in one write are answered, each once', async () => {
    const source = `
      const answered = new Set()
      let answers = 0
      on('initialize', ({ id, params }) => answer(id, { protocolVersion: params.protocolVersion, capabilities: {} }))
      on(undefined, ({ id }) => { answers++; answered.add(id) })
      on('storm', ({ id }) => { say(Array.from({ length: 20000 }, (_, id) => JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' }) + '\\n').join('')); answer(id) })
      on('count', ({ id }) => answer(id, { answers, different: answered.size }))
    `
    const channel = spawnChannel({ command: process.execPath, args: ['--eval', HEAD + source] })
    started.push(channel)
    const connection = createChannelConnection(channel)
    const client = await openLegacyClient({
      connection,
      info: { name: 'tester', version: '1' },
      capabilities: {},
      handleInputRequest: async () => ({}),
    })
    const call = (method: string): Promise<Response> =>
      client.exchange({ jsonrpc: '2.0', id: 1, method }, { signal: new AbortController().signal, notify: () => {} })
    await call('storm')
    await eventually(async () => expect(await call('count')).toMatchObject({ result: { answers: 20_000, different: 20_000 } }))
    expect(await lost(Promise.all([client.close(), call('late')]))).toMatchObject({ code: 'CONNECTION_LOST', retryable: false })
  })

  test('C14: 100,000 notifications before the answer', async () => {
    const program = run(`
      on('flood', async ({ id, params }) => {
        const { progressToken } = params._meta
        for (let progress = 1; progress <= 100000; progress++) {
          const line = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress } }) + '\\n'
          if (!say(line)) await new Promise((resolve) => process.stdout.once('drain', resolve))
        }
        answer(id)
      })
    `)
    let last: unknown
    let count = 0
    const notify = ({ params }: Notification): void => {
      count++
      last = params
    }
    await program.call('flood', { _meta: { progressToken: 'mine' } }, { notify })
    expect([count, last]).toEqual([100_000, { progressToken: 'mine', progress: 100_000 }])
  })

  test('stderr is read and passed on, and does not imply an error', async () => {
    const output: string[] = []
    const program = run("process.stderr.write('€'.repeat(1000000)); on('x', ({ id }) => answer(id))", {
      onStderr: (text) => output.push(text),
    })
    expect(await program.call('x')).toMatchObject({ result: {} })
    await eventually(() => expect(output.join('')).toBe('€'.repeat(1_000_000)))
  })
})

describe('a child that exits', () => {
  onUnix('C03: kill -9 fails pending calls at once, with the signal', async () => {
    const program = run("on('hang', () => {}); console.error('I was here')")
    await program.call('ping')
    const waiting = [program.call('hang'), program.call('hang')].map(lost)
    process.kill(program.channel.pid ?? 0, 'SIGKILL')
    const [errors, ms] = await timed(Promise.all(waiting))
    expect(ms).toBeLessThan(10_000)
    for (const error of errors) {
      expect(error).toMatchObject({
        code: 'CONNECTION_LOST',
        retryable: true,
        exit: { code: null, signal: 'SIGKILL', stderr: 'I was here\n' },
      })
      expect(error.message).toMatch(/terminated by SIGKILL[\s\S]*I was here/)
    }
    expect(await program.channel.exited).toEqual({
      code: null,
      signal: 'SIGKILL',
      stderr: 'I was here\n',
      summary: 'was terminated by SIGKILL',
    })
    expect((await lost(program.call('late'))).exit?.signal).toBe('SIGKILL')
  })

  test('C04: the error for a child that exits at once has its name, its exit code and the last 4 KB of stderr', async () => {
    const program = run("process.stderr.write('a'.repeat(10000) + 'the end', () => process.exit(7))")
    const [error, ms] = await timed(lost(program.call('ping')))
    expect(ms).toBeLessThan(15_000)
    expect(error).toMatchObject({ code: 'CONNECTION_LOST', exit: { code: 7, signal: null } })
    expect(error.exit?.stderr).toBe(`${'a'.repeat(4089)}the end`)
    expect(error.message).toMatch(/node.* --eval [\s\S]*exited with code 7[\s\S]*the end$/)
  })

  test('a response that was written before the exit is delivered', async () => {
    const program = run(
      "on('last', ({ id }) => say(JSON.stringify({ jsonrpc: '2.0', id, result: { text: 'x'.repeat(1000000) } }), () => process.exit(0)))",
    )
    expect(JSON.stringify(await program.call('last')).length).toBeGreaterThan(1_000_000)
    await program.channel.exited
  })

  onUnix('C04: a program that cannot be started is explained', async () => {
    const failure = (command: string, more: Partial<SpawnOptions> = {}): Promise<ConnectionLostError> =>
      lost(run('', { command, ...more }).call('ping'))
    const missing = await timed(failure('no-such-program-here', { env: { PATH: '/nowhere:/bin' } }))
    expect(missing[1]).toBeLessThan(5000)
    expect(missing[0]).toMatchObject({
      name: 'SpawnError',
      code: 'SPAWN_FAILED',
      retryable: false,
      command: 'no-such-program-here',
      cause: { code: 'ENOENT' },
    })
    expect(missing[0].message).toMatch(/no such program in PATH \(ENOENT\)\. PATH is \/nowhere:\/bin/)
    expect((await failure('nothing', { env: { PATH: undefined } })).message).toContain('PATH is empty')
    expect((await failure('/no/such/file')).message).toContain('no such file')
    expect((await failure('~/bin/server')).message).toContain(
      `Only a shell expands ~. Write the full path: ${homedir()}/bin/server`,
    )
    expect((await failure('$HOME/my bin/server')).message).toContain(`Write the full path: ${homedir()}/my bin/server`)
    expect((await failure('%APPDATA%\\npm\\server')).message).toContain('Only a shell expands %APPDATA%. Write the full path')
    expect((await failure('cd /srv && node server.js')).message).toContain(
      `{ command: 'sh', args: ['-c', "cd /srv && node server.js"] }`,
    )
    expect((await failure(process.execPath, { cwd: '/no/such/folder' })).message).toContain(
      'working directory /no/such/folder does not exist',
    )
    expect((await failure(folder)).message).toContain('it is a directory')
    const plain = join(folder, 'plain')
    writeFileSync(plain, 'text')
    expect((await failure(plain)).message).toMatch(/permission denied \(EACCES\)/)
    writeFileSync(join(folder, 'script'), '#!/no/interpreter\n')
    chmodSync(join(folder, 'script'), 0o755)
    expect((await failure(join(folder, 'script'))).message).toContain('the interpreter named in its first line does not exist')
    expect(() => run('', { args: ['nul\0'] })).toThrow(expect.objectContaining({ code: 'SPAWN_FAILED' }) as Error)
  })

  test('C17: a child that closes stdout but keeps running fails pending calls, and is terminated', async () => {
    const program = run(
      "on('mute', () => { require('fs').closeSync(1) }); setInterval(() => {}, 1000); process.on('SIGTERM', () => {})",
    )
    const pid = pidOf(await program.call('pid'))
    const [error, ms] = await timed(lost(program.call('mute')))
    expect(ms).toBeLessThan(10_000)
    expect(error).toMatchObject({ code: 'CONNECTION_LOST', exit: { code: null, signal: null } })
    expect(error.message).toContain('still running')
    await eventually(() => expect(isRunning(pid)).toBe(false))
  })

  test('S11: a child that closes stdin but keeps running fails pending calls (EPIPE)', async () => {
    const program = run(
      "on('deaf', ({ id }) => { answer(id); process.stdin.destroy(); require('fs').closeSync(0); setInterval(() => {}, 1000) })",
    )
    await program.call('deaf')
    const error = await lost(program.call('ping', { text: 'x'.repeat(1_000_000) }))
    expect(error).toMatchObject({ code: 'CONNECTION_LOST' })
    expect(error.message).toContain('still running')
  })

  test('the environment contains only safe variables, and can be changed', async () => {
    vi.stubEnv('PORTCALL_SECRET', 'secret')
    onTestFinished(() => void vi.unstubAllEnvs())
    const source = "on('env', ({ id }) => answer(id, { env: process.env, cwd: process.cwd() }))"
    const plain = await run(source, { cwd: pathToFileURL(folder) }).call('env')
    expect(plain).toMatchObject({ result: { env: { PATH: process.env.PATH }, cwd: folder } })
    expect(JSON.stringify(plain)).not.toContain('PORTCALL_SECRET')
    expect(await run(source, { env: { MINE: 'x', HOME: undefined } }).call('env')).toMatchObject({
      result: { env: { MINE: 'x' } },
    })
    expect(JSON.stringify(await run(source, { env: { HOME: undefined } }).call('env'))).not.toContain('"HOME"')
  })
})

describe('close', () => {
  const GRANDCHILD = `
    const { spawn } = require('child_process')
    const stubborn = (code) => spawn(process.execPath, ['--eval', code], { stdio: 'inherit' }).pid
  `

  test('STDIO-016: a well-behaved server exits within 500 ms, and pending calls fail at once', async () => {
    const program = run("on('hang', () => {})")
    const pid = pidOf(await program.call('pid'))
    const waiting = lost(program.call('hang'))
    const [, ms] = await timed(Promise.all([program.close(), waiting]))
    expect(ms).toBeLessThan(5000)
    expect(await waiting).toMatchObject({ code: 'CONNECTION_LOST' })
    expect(isRunning(pid)).toBe(false)
    expect(await program.channel.exited).toMatchObject({ code: 0 })
    await program.close()
  })

  onUnix('C05: a server that ignores the end of stdin and SIGTERM is killed', async () => {
    const deaf = run('setInterval(() => {}, 1000)', { shutdownTimeoutMs: 100 })
    const defiant = run("setInterval(() => {}, 1000); process.on('SIGTERM', () => {})", {
      shutdownTimeoutMs: 100,
      killTimeoutMs: 100,
    })
    await Promise.all([deaf.call('x'), defiant.call('x')])
    const [, ms] = await timed(Promise.all([deaf.close(), defiant.close()]))
    expect(ms).toBeLessThan(10_000)
    expect(await deaf.channel.exited).toMatchObject({ signal: 'SIGTERM' })
    expect(await defiant.channel.exited).toMatchObject({ signal: 'SIGKILL' })
    expect([isRunning(deaf.channel.pid), isRunning(defiant.channel.pid)]).toEqual([false, false])
  })

  onUnix('C06: grandchildren are terminated too, even those that ignore SIGTERM or run in a shell', async () => {
    const program = run(
      `${GRANDCHILD} const pid = stubborn("setInterval(() => {}, 1000); process.on('SIGTERM', () => {})"); on('pid', ({ id }) => answer(id, { pid }))`,
      { shutdownTimeoutMs: 100, killTimeoutMs: 100 },
    )
    const pid = pidOf(await program.call('pid'))
    expect(isRunning(pid)).toBe(true)
    await program.close()
    await eventually(() => expect(isRunning(pid)).toBe(false))

    const script = join(folder, 'server.cjs')
    writeFileSync(script, HEAD)
    const shell = run('', { command: 'sh', args: ['-c', `"${process.execPath}" "${script}"; true`] })
    const inner = pidOf(await shell.call('pid'))
    expect(inner).not.toBe(shell.channel.pid)
    const [, ms] = await timed(shell.close())
    expect(ms).toBeLessThan(5000)
    expect(isRunning(inner)).toBe(false)
  })

  onUnix('C06: when a child exits, its grandchildren are terminated, even if they keep its pipes open', async () => {
    const program = run(
      `${GRANDCHILD} const pid = stubborn('setInterval(() => {}, 1000)'); on('pid', ({ id }) => answer(id, { pid }))`,
      { shutdownTimeoutMs: 100 },
    )
    const pid = pidOf(await program.call('pid'))
    const waiting = lost(program.call('pid'))
    process.kill(program.channel.pid ?? 0, 'SIGKILL')
    await waiting.catch(() => {})
    const [error, ms] = await timed(lost(program.call('late')))
    expect(error).toMatchObject({ exit: { signal: 'SIGKILL' } })
    expect(ms).toBeLessThan(10_000)
    await eventually(() => expect(isRunning(pid)).toBe(false))
  })

  test('close during the start, and before receive', async () => {
    const channel = spawnChannel({ command: process.execPath, args: ['--eval', HEAD] })
    await channel.close()
    expect(isRunning(channel.pid)).toBe(false)
    await run('').close()
    const missing = spawnChannel({ command: 'no-such-program-here' })
    await missing.close()
    expect(missing.pid).toBeUndefined()
    expect(await missing.exited).toMatchObject({ code: null, signal: null })
  })
})

describe('when the parent process exits', () => {
  const built = join(folder, 'spawn.mjs')
  beforeAll(async () => {
    const bundle = await rolldown({
      input: fileURLToPath(new URL('spawn.ts', import.meta.url)),
      platform: 'node',
      tsconfig: false,
    })
    await bundle.write({ file: built, format: 'esm' })
    await bundle.close()
  })

  /** Runs a parent process that starts a child with a grandchild, and prints the ids of both. */
  async function runHost(
    child: string,
    then = '',
  ): Promise<{ kill(signal: NodeJS.Signals): void; pids: number[]; exit: Promise<unknown> }> {
    const program = join(folder, `child-${started.length}-${Math.random()}.cjs`)
    const grandchild = `process.stdin.resume(); ${child}; console.log('ready')`
    writeFileSync(
      program,
      `${HEAD}${child}
      // Started before, the grandchild would sometimes read the request.
      on('pids', ({ id }) => {
        const { pid, stdout } = require('child_process').spawn(process.execPath, ['--eval', ${JSON.stringify(grandchild)}], { stdio: ['inherit', 'pipe', 'inherit'] })
        stdout.once('data', () => answer(id, { pids: [process.pid, pid] }))
      })
    `,
    )
    const host = spawn(
      process.execPath,
      [
        '--input-type=module',
        '--eval',
        `
      import { spawnChannel } from ${JSON.stringify(pathToFileURL(built).href)}
      const channel = spawnChannel({ command: process.execPath, args: [${JSON.stringify(program)}] })
      channel.receive(({ value }) => { console.log(JSON.stringify(value.result.pids)); ${then} }, () => {})
      channel.send({ jsonrpc: '2.0', id: 1, method: 'pids' })
    `,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    onTestFinished(() => void host.kill('SIGKILL'))
    const exit = new Promise((resolve) => host.once('exit', resolve))
    const text = await new Promise<string>((resolve) => host.stdout.setEncoding('utf8').once('data', resolve))
    return { kill: (signal) => void host.kill(signal), pids: JSON.parse(text) as number[], exit }
  }

  onLinux('after close, there are no timers, handles or file descriptors left', async () => {
    const program = `
      import { readdirSync } from 'node:fs'
      import { spawnChannel } from ${JSON.stringify(pathToFileURL(built).href)}
      const talk = async () => {
        const channel = spawnChannel({ command: process.execPath, args: ['--eval', ${JSON.stringify(HEAD)}] })
        const answered = new Promise((resolve) => channel.receive(resolve, () => {}))
        channel.send({ jsonrpc: '2.0', id: 1, method: 'ping' })
        await answered
        await channel.close()
        await new Promise((go) => setTimeout(go, 30))
        return [readdirSync('/proc/self/fd').length, process.getActiveResourcesInfo().filter((name) => name !== 'PipeWrap')]
      }
      const listeners = process.listenerCount('exit')
      const first = await talk()
      for (let round = 0; round < 3; round++) await talk()
      console.error(JSON.stringify([first, await talk(), process.listenerCount('exit') - listeners]))
    `
    const host = spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: ['ignore', 'ignore', 'pipe'] })
    let output = ''
    host.stderr.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    expect(await new Promise((resolve) => host.once('close', resolve))).toBe(0)
    const [first, last, listeners] = JSON.parse(output) as unknown[]
    expect([last, listeners]).toEqual([first, 0])
    expect(last).toEqual([expect.any(Number), []])
  })

  onUnix('S21: if it is killed, the stdin of children and grandchildren ends', async () => {
    const host = await runHost('')
    expect(host.pids.map(isRunning)).toEqual([true, true])
    host.kill('SIGKILL')
    await host.exit
    await eventually(() => expect(host.pids.map(isRunning)).toEqual([false, false]))
  })

  onUnix('if it exits without closing, even processes that ignore SIGTERM are killed', async () => {
    const host = await runHost(
      "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)",
      'setTimeout(() => process.exit(0), 100)',
    )
    await host.exit
    await eventually(() => expect(host.pids.map(isRunning)).toEqual([false, false]))
    expect(existsSync(built)).toBe(true)
  })
})

describe.skipIf(process.platform === 'win32')('on Windows, which is simulated', () => {
  /** A folder with a script as npm installs it, and stand-ins for `cmd.exe` and `taskkill`, which write down their arguments. */
  function createWindowsFolder(): { env: Record<string, string>; read(name: string): string } {
    const bin = mkdtempSync(join(folder, 'windows-'))
    const program = (name: string, text: string): void => writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
    writeFileSync(join(bin, 'server.cmd'), '')
    program('cmd.exe', `printf '%s\\n' "$@" > ${bin}/cmd.log; "${process.execPath}" ${bin}/server.mjs`)
    program('taskkill', `printf '%s\\n' "$@" > ${bin}/taskkill.log; pkill -KILL -P "$2"; kill -KILL "$2"`)
    writeFileSync(
      join(bin, 'server.mjs'),
      `${HEAD}\non('stay', ({ id }) => { setInterval(() => {}, 1000); answer(id, { pid: process.pid }) })`,
    )
    vi.stubEnv('PATH', `${bin}:${process.env.PATH}`)
    onTestFinished(() => void vi.unstubAllEnvs())
    return { env: { COMSPEC: join(bin, 'cmd.exe') }, read: (name) => readFileSync(join(bin, name), 'utf8') }
  }

  test('a script is run by cmd.exe, and terminated together with the program that it runs', async () => {
    const { env, read } = createWindowsFolder()
    const program = run('', { command: 'server', args: ['a b'], env, platform: 'win32', shutdownTimeoutMs: 20 })
    const pid = pidOf(await program.call('stay'))
    expect(isRunning(pid)).toBe(true)
    expect(read('cmd.log').split('\n').slice(0, 4)).toEqual(['/e:ON', '/v:OFF', '/d', '/c'])
    expect(read('cmd.log')).toContain('server.cmd" "a b""')
    await program.close()
    await eventually(() => expect(isRunning(pid)).toBe(false))
    expect(read('taskkill.log').split('\n')).toEqual(['/pid', String(program.channel.pid), '/t', '/f', ''])
  })

  test('a program that exits when its stdin ends is not terminated', async () => {
    const { env, read } = createWindowsFolder()
    const program = run('', { command: 'server', args: [], env, platform: 'win32', shutdownTimeoutMs: 60_000 })
    const pid = pidOf(await program.call('ping'))
    await program.close()
    expect(isRunning(pid)).toBe(false)
    expect(() => read('taskkill.log')).toThrow('ENOENT')
  })
})
