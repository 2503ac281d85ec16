/** Programs that exit unexpectedly, do not exit when requested, or leave child processes. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { ConnectionLostError, connect } from 'portcall/client'
import { describe, expect, onTestFinished, test } from 'vitest'
import { timed, until, within } from '../support/time.ts'
import { call, collect, expectLosses, failureOf, healthy, open, untilLost } from './support/connection.ts'
import { isAlive, isRunning, modernProgram, node, PROGRAMS } from './support/program.ts'
import { isThroughGateway } from './support/through-gateway.ts'

const PID = `on['tools/call'] = (id, { name }) => reply(id, text(name === 'pid' ? String(process.pid) : 'fine'));`

describe.each(PROGRAMS)('a program of %s', (_revision, program) => {
  test('C03: kill -9 during 1,000 calls: those in flight fail immediately, the next one succeeds, changes arrive again', async () => {
    const body = `
      ${PID}
      const calls = []
      const answer = on['tools/call']
      on['tools/call'] = (id, params) => {
        if (params.name !== 'work') return answer(id, params)
        calls.push(JSON.stringify({ jsonrpc: '2.0', id, result: text('done') }) + '\\n')
        if (calls.length === 400) raw(calls.join(''))
        if (calls.length === 700) process.kill(process.pid, 'SIGKILL')
      }
      on['subscriptions/listen'] = (id, { notifications }) => say({
        method: 'notifications/subscriptions/acknowledged',
        params: { notifications, _meta: { 'io.modelcontextprotocol/subscriptionId': id } },
      })`
    const { client, kinds } = await open(program(body), { restart: true })
    const first = Number(await call(client, 'pid'))
    const subscription = client.listen({ toolsListChanged: true, resourceSubscriptions: ['a:1'] })
    const changes = collect(subscription)
    await within(3000, subscription.acknowledged)
    const started = performance.now()
    const outcomes = await within(
      5000,
      Promise.allSettled(Array.from({ length: 1000 }, () => client.callTool('work'))),
      'all calls to end',
    )
    expect(performance.now() - started).toBeLessThan(30_000)
    const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as ConnectionLostError] : []))
    expect(failures).toHaveLength(600)
    for (const failure of failures) {
      expect(failure).toBeInstanceOf(ConnectionLostError)
      expect(failure).toMatchObject({ retryable: true, exit: { signal: 'SIGKILL' } })
    }
    expect(Number(await call(client, 'pid'))).not.toBe(first)
    await until(() => changes.length >= 2, 'the changes')
    expect(changes).toEqual(['tools', 'resource a:1'])
    expectLosses(kinds(), 'disconnected', 'reconnected')
    expect(client.status).toBe('connected')
    expect(isAlive(first)).toBe(false)
  })

  test('C03: killed without calls in flight: the next call succeeds', async () => {
    const { client } = await open(program(PID), { restart: true })
    for (let round = 0; round < 3; round++) {
      const pid = Number(await call(client, 'pid'))
      process.kill(pid, 'SIGKILL')
      await until(() => !isAlive(pid), 'the end of the program')
      await untilLost(client)
      await healthy(client)
    }
  })

  test('C03: without restart, every later call fails immediately', async () => {
    const { client } = await open(program(`on['tools/call'] = () => process.exit(7)`))
    expect(await failureOf(client.callTool('echo'), 1000)).toMatchObject({ code: 'CONNECTION_LOST', exit: { code: 7 } })
    expect(await failureOf(client.callTool('echo'), 1000)).toMatchObject({ code: 'CLIENT_CLOSED', retryable: false })
    expect(client.status).toBe('closed')
  })

  test('C03: a call at the moment the program exits does not hang', async () => {
    const { client } = await open(program(PID), { restart: true })
    for (let round = 0; round < 5; round++) {
      const pid = Number(await call(client, 'pid', {}, 8000))
      process.kill(pid, 'SIGKILL')
      const outcomes = await within(
        8000,
        Promise.allSettled(Array.from({ length: 20 }, () => client.callTool('echo'))),
        'the end',
      )
      for (const outcome of outcomes)
        if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ retryable: true, code: 'CONNECTION_LOST' })
    }
    await healthy(client)
  })

  test('C17: stdout is closed while the program runs: pending calls fail, and the program is stopped', async () => {
    const { client } = await open(
      program(`on['tools/call'] = (id, { name }) => name === 'pid' ? reply(id, text(String(process.pid))) : require('fs').closeSync(1);
        setInterval(() => {}, 1000)`),
      { restart: true },
    )
    const pid = Number(await call(client, 'pid'))
    const failure = await failureOf(client.callTool('close'), 2000)
    expect(failure).toBeInstanceOf(ConnectionLostError)
    expect(failure.message).toContain('closed')
    await until(() => !isAlive(pid), 'the end of the program')
    expect(Number(await call(client, 'pid'))).not.toBe(pid)
  })

  test('C05: a well-behaved program exits within 500 ms, and the calls in flight fail immediately', async () => {
    const { client } = await open(program(`${PID}; on['never'] = () => {}`))
    const pid = Number(await call(client, 'pid'))
    const waiting = client.request('never').catch((error: unknown) => error)
    expect(await timed(() => client.close())).toBeLessThan(5000)
    expect(await waiting).toMatchObject({ retryable: false })
    expect(isAlive(pid)).toBe(false)
  })

  test('C06: a grandchild that keeps stdout open does not delay the failure of calls after the program exited', async () => {
    const { client } = await open(
      program(`
        const { spawn } = require('child_process')
        spawn('sleep', ['30'], { stdio: ['ignore', 'inherit', 'inherit'] })
        on['tools/call'] = (id) => process.kill(process.pid, 'SIGKILL')`),
    )
    const started = performance.now()
    expect(await failureOf(client.callTool('echo'), 2000)).toMatchObject({ code: 'CONNECTION_LOST', exit: { signal: 'SIGKILL' } })
    expect(performance.now() - started).toBeLessThan(10_000)
  })
})

describe('programs that do not exit', () => {
  test('C05: EOF and SIGTERM are ignored: close() escalates, and leaves no zombie', async () => {
    const { client } = await open(modernProgram(`${PID}; process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)`))
    const pid = Number(await call(client, 'pid'))
    expect(await timed(() => client.close())).toBeLessThan(35_000)
    expect(isAlive(pid)).toBe(false)
  })

  test('C06: grandchildren have exited after close(), also those of a shell and those that ignore SIGTERM', async () => {
    const grandchild = `process.on('SIGTERM', () => {}); process.on('SIGHUP', () => {}); setInterval(() => {}, 1000)`
    const { command, args } = modernProgram(`
      const { spawn } = require('child_process')
      const child = spawn(process.execPath, ['-e', ${JSON.stringify(grandchild)}], { stdio: 'ignore' })
      on['tools/call'] = (id) => reply(id, text(process.pid + ' ' + child.pid))`)
    const shell = { command: 'sh', args: ['-c', `"$0" "$@"; true`, command, ...args] }
    const { client } = await open(shell)
    const pids = (await call(client)).split(' ').map(Number)
    expect(pids.every(isRunning)).toBe(true)
    expect(await timed(() => client.close())).toBeLessThan(35_000)
    await until(() => !pids.some(isRunning), 'the end of both')
  })
})

describe('programs that do not start', () => {
  test('C04: a missing program is reported, with the searched locations', async () => {
    const failure = await failureOf(connect({ command: 'no-such-program-9d2f' }), 1000)
    expect(failure).toMatchObject({ code: 'SPAWN_FAILED', retryable: false })
    expect(failure.message).toContain('PATH')
  })

  test.each([
    ['exits at once', `console.error('no config'); process.exit(3)`, /code 3.*no config/s],
    ['throws at once', `throw new Error('boom at start')`, /code 1.*boom at start/s],
    ['kills itself', `process.kill(process.pid, 'SIGSEGV'); setInterval(() => {}, 1000)`, /SIGSEGV/],
    ['exits on the first request', `process.stdin.once('data', () => process.exit(4))`, /code 4/],
    ['closes stdout', `require('fs').closeSync(1); setInterval(() => {}, 1000)`, /closed/],
  ])('C04: a program that %s', async (_what, script, message) => {
    const failure = await failureOf(connect(node(script)), 3000)
    expect(failure).toBeInstanceOf(ConnectionLostError)
    expect(failure.message).toMatch(message)
  })

  test('C04: repeated restarts of a program that fails to start are limited', async () => {
    const marker = `/tmp/faults-${process.pid}-${Date.now()}`
    const program = modernProgram(`
      const fs = require('fs')
      fs.appendFileSync(${JSON.stringify(marker)}, 'x')
      if (fs.readFileSync(${JSON.stringify(marker)}).length > 1) process.exit(1)
      on['tools/call'] = () => process.exit(1)`)
    onTestFinished(async () => (await import('node:fs')).rmSync(marker, { force: true }))
    const { client } = await open(program, { restart: true })
    const deadline = performance.now() + 1000
    let failures = 0
    while (performance.now() < deadline) {
      await failureOf(client.callTool('echo'), 8000)
      failures++
    }
    const { readFileSync } = await import('node:fs')
    expect(readFileSync(marker).length).toBeLessThan(12)
    // Calls through a gateway fail at once between its attempts.
    if (!isThroughGateway) expect(failures).toBeLessThan(12)
  })

  test('C04: a silent program: connect() times out, and leaves no process', async () => {
    const controller = new AbortController()
    const silent = node(`process.stdout.write('pid ' + process.pid + '\\n'); process.stdin.resume()`)
    let pid = 0
    const onEvent = (event: { type: string; text?: string }): void => {
      if (event.type !== 'unexpected-message') return
      pid = Number(event.text?.slice(4))
      setTimeout(() => controller.abort(new Error('enough')), 300)
    }
    expect(await failureOf(connect(silent, { signal: controller.signal, onEvent }), 10_000)).toMatchObject({ message: 'enough' })
    expect(pid).toBeGreaterThan(0)
    await until(() => !isAlive(pid), 'the end of the program')
  })
})

describe('the client process', () => {
  /** Starts a client process that starts a server through a shell; returns the pids of all. */
  async function startHost(server: string): Promise<{ host: ReturnType<typeof spawn>; pids: number[] }> {
    const program = process.env.FAULTS_HOST!
    const host = spawn(process.execPath, [program, JSON.stringify({ script: server })], { stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(() => void host.kill('SIGKILL'))
    const [line] = (await within(8000, once(createInterface({ input: host.stdout }), 'line'), 'the start of the host')) as [
      string,
    ]
    return { host, pids: line.split(' ').map(Number) }
  }
  const server = modernProgram(`on['tools/call'] = (id) => reply(id, text(process.pid + ' ' + process.ppid))`).args[1]!

  test.each(['SIGKILL', 'SIGTERM', 'SIGINT'] as const)(
    'C06: the client process is killed by %s: neither the server nor its shell remains',
    async (signal) => {
      const { host, pids } = await startHost(server)
      expect(pids).toHaveLength(2)
      host.kill(signal)
      await until(() => !pids.some(isRunning), 'the end of all')
    },
  )

  test('C06: the client process exits by itself: a server that ignores EOF and SIGTERM exits too', async () => {
    const stubborn = `${server}; process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)`
    const { host, pids } = await startHost(stubborn)
    host.kill('SIGUSR2')
    await until(() => !pids.some(isRunning), 'the end of all')
  })
})
