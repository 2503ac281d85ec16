/** Calls over stdio that time out, are aborted, or are flooded with unrequested messages; resources after close(). */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { startHttp } from '../support/http.ts'
import { MIB, sleep, timed, within } from '../support/time.ts'
import type { MemoryOptions } from './memory-program.ts'
import { collectGarbage } from './support/collect-garbage.ts'
import { call, failureOf, healthy, open } from './support/connection.ts'
import { modern } from './support/eras.ts'
import { modernProgram, PROGRAMS } from './support/program.ts'
import { testRaw } from './support/raw-server.ts'

/** Returns the messages that the program has received, by its tool `received`. */
const RECEIVED = `
  const received = []
  const ids = new Set()
  let twice = 0
  on['notifications/cancelled'] = (_, { requestId }) => received.push(requestId)
  const mine = {
    received: (id) => reply(id, text(JSON.stringify({ cancelled: received.length, twice }))),
    echo: (id) => reply(id, text('fine')),
    never: () => {},
  }
  on['tools/call'] = (id, params) => {
    if (ids.has(id)) twice++
    ids.add(id)
    mine[params.name](id, params)
  }
`

describe.each(PROGRAMS)('a program of %s', (_revision, program) => {
  test('C12: it never responds: the calls time out, and it is notified', async () => {
    const { client } = await open(program(RECEIVED))
    await healthy(client)
    const failures = await Promise.all(
      Array.from({ length: 50 }, () => failureOf(client.callTool('never', {}, { timeouts: { requestTimeoutMs: 200 } }))),
    )
    for (const { code } of failures) expect(code).toBe('TIMEOUT')
    await healthy(client)
    expect(JSON.parse(await call(client, 'received'))).toEqual({ cancelled: 50, twice: 0 })
  })

  test('C13: endless progress: the total timeout applies', async () => {
    const { client } = await open(
      program(`${RECEIVED}
        mine.endless = (id, { _meta }) => {
          let progress = 0
          setInterval(() => say({ method: 'notifications/progress', params: { progressToken: _meta.progressToken, progress: ++progress } }), 20)
        }`),
    )
    const timeouts = { requestTimeoutMs: 2000, totalTimeoutMs: 4000 }
    let steps = 0
    const started = performance.now()
    expect((await failureOf(client.callTool('endless', {}, { onProgress: () => steps++, timeouts }), 4000)).code).toBe('TIMEOUT')
    expect(performance.now() - started).toBeGreaterThan(3900)
    expect(steps).toBeGreaterThan(5)
    const atEnd = steps
    await healthy(client)
    await sleep(100)
    expect(steps).toBe(atEnd)
  })

  test('C41: 200 calls that are aborted immediately and still answered: no responses are mixed up', async () => {
    const { client } = await open(program(`${RECEIVED}; mine.late = (id) => setTimeout(() => reply(id, text('late')), 30)`))
    await healthy(client)
    const outcomes = Array.from({ length: 200 }, () => {
      const controller = new AbortController()
      const outcome = failureOf(client.callTool('late', {}, { signal: controller.signal }), 2000)
      queueMicrotask(() => setImmediate(() => controller.abort(new Error('not wanted'))))
      return outcome
    })
    for (const { message } of await Promise.all(outcomes)) expect(message).toBe('not wanted')
    const texts = await Promise.all(Array.from({ length: 50 }, () => call(client)))
    expect(new Set(texts)).toEqual(new Set(['fine']))
    expect(JSON.parse(await call(client, 'received'))).toEqual({ cancelled: 200, twice: 0 })
  })

  test('C41: a call that is aborted before it was sent is not sent', async () => {
    const { client } = await open(program(RECEIVED))
    const failure = await failureOf(client.callTool('never', {}, { signal: AbortSignal.abort(new Error('before')) }), 500)
    expect(failure.message).toBe('before')
    expect(JSON.parse(await call(client, 'received'))).toEqual({ cancelled: 0, twice: 0 })
  })

  test('C08: 2,000 concurrent calls, answered in reverse: each receives its own response, all ids are unique', async () => {
    const { client } = await open(
      program(`${RECEIVED}
        const waiting = []
        mine.own = (id, { arguments: { n } }) => {
          waiting.push([id, n])
          if (waiting.length === 2000) for (const [one, value] of waiting.reverse()) reply(one, text(String(value)))
        }`),
    )
    const texts = await Promise.all(Array.from({ length: 2000 }, (_, n) => call(client, 'own', { n }, 10_000)))
    expect(texts).toEqual(Array.from({ length: 2000 }, (_, n) => `${n}`))
    expect(JSON.parse(await call(client, 'received'))).toEqual({ cancelled: 0, twice: 0 })
  })

  test('C03: an event listener that throws does not affect the connection', async () => {
    const { client } = await open(
      program(`${RECEIVED}
        mine.noisy = (id, { _meta }) => {
          raw('junk\\n')
          say({ method: 'notifications/message', params: { level: 'error', data: 'x' } })
          say({ method: 'notifications/progress', params: { progressToken: _meta.progressToken, progress: 1 } })
          reply(id, text('fine'))
        }`),
      {
        logLevel: 'debug',
        onEvent() {
          throw new Error('the host fails')
        },
      },
    )
    const onProgress = (): void => {
      throw new Error('the host fails here too')
    }
    await within(2000, client.callTool('noisy', {}, { onProgress })).catch(() => {})
    await healthy(client)
  })
})

describe('changes that were not requested or are not read', () => {
  test('C14: 150,000 changes of different resources to a subscription that is not read: memory is bounded', async () => {
    const server = await testRaw(
      modern({
        'subscriptions/listen'({ message: { id, params } }, answer) {
          const _meta = { 'io.modelcontextprotocol/subscriptionId': id }
          const { notifications } = params as { notifications: unknown }
          answer.stream()
          answer.event({ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params: { notifications, _meta } })
          let sent = 0
          const next = (): void => {
            for (let ready = true; ready && sent < 150; sent++) {
              const events = Array.from({ length: 1000 }, (_, at) =>
                JSON.stringify({
                  jsonrpc: '2.0',
                  method: 'notifications/resources/updated',
                  params: { uri: `a:1/${sent}/${at}/${'x'.repeat(100)}`, _meta },
                }),
              )
              const text = events.map((event) => `data: ${event}\n\n`).join('')
              ready = answer.socket.write(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`)
            }
            if (sent < 150) answer.socket.once('drain', next)
            else answer.event({ jsonrpc: '2.0', method: 'notifications/tools/list_changed', params: { _meta } })
          }
          next()
        },
      }),
    )
    const { client } = await open(server.url)
    collectGarbage()
    const before = process.memoryUsage().heapUsed
    const subscription = client.listen({ resourceSubscriptions: ['a:1'] })
    const other = client.listen({ toolsListChanged: true })
    const last = (async () => {
      for await (const { type } of other) if (type === 'tools') return
    })()
    await within(12_000, last, 'the last change')
    await healthy(client)
    collectGarbage()
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(16 * MIB)
    subscription.close()
  })
})

describe('close()', () => {
  const echo = modernProgram(`on['tools/call'] = (id) => reply(id, text('fine'))`)
  const run = async (choice: MemoryOptions): Promise<number> => {
    const running = promisify(execFile)(process.execPath, [process.env.FAULTS_MEMORY!, JSON.stringify(choice)])
    let reported = 0
    running.child.stdout?.once('data', () => (reported = performance.now()))
    await within(8000, running, 'the end of the program')
    return performance.now() - reported
  }

  test('C05: of a program: nothing prevents the client process from exiting', async () => {
    expect(await run({ target: echo, tool: 'echo' })).toBeLessThan(7000)
  })

  test.each(['2026-07-28', '2025-11-25', '2025-03-26'])(
    'C41: of an HTTP server of %s: nothing prevents the client process from exiting',
    async (protocolVersion) => {
      const server = await startHttp()
      try {
        expect(
          await run({ target: `http://127.0.0.1:${server.port}/mcp`, tool: 'echo', options: { protocolVersion } }),
        ).toBeLessThan(7000)
      } finally {
        server.kill()
      }
    },
  )

  test('C05: a client that is closed twice and used afterwards', async () => {
    const { client } = await open(echo)
    await Promise.all([client.close(), client.close()])
    expect(await timed(() => client.close())).toBeLessThan(5000)
    expect(await failureOf(client.callTool('echo'), 500)).toMatchObject({ code: 'CLIENT_CLOSED', retryable: false })
    const subscription = client.listen({ toolsListChanged: true })
    expect(
      await failureOf(
        subscription.acknowledged.then(() => 'honoured'),
        1000,
      ),
    ).toBeInstanceOf(Error)
  })

  test('C05: close() during a restart of the program', async () => {
    const { client } = await open(modernProgram(`on['tools/call'] = () => process.exit(1)`), { restart: true })
    for (let round = 0; round < 3; round++) await failureOf(client.callTool('echo'), 3000)
    const waiting = client.callTool('echo').catch((error: unknown) => error)
    expect(await timed(() => client.close())).toBeLessThan(6000)
    expect(await within(600, waiting)).toMatchObject({ retryable: false })
  })
})
