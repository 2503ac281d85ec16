/** Processes that end: by the server, the client or a tool. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { modern, testHttp, write } from './support/http.ts'
import { logLevel, modernRequest, request, textOf, tool } from './support/messages.ts'
import { testStdio } from './support/stdio.ts'
import { sleep, timed, until, within } from './support/time.ts'

/** Reports whether a process runs; a zombie does not. */
function isAlive(pid: number): boolean {
  if (!existsSync(`/proc/${pid}/stat`)) return false
  return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
}

describe('over stdio', () => {
  test('S10: an idle server exits when stdin ends', async () => {
    const server = testStdio()
    await server.healthy()
    server.child.stdin.end()
    expect(await within(1000, server.exit, 'the exit')).toEqual([0, null])
    expect(server.stderr().replace(/^refused .*\n/gm, '')).toBe('')
  })

  test('S10: also before any message', async () => {
    const server = testStdio()
    server.child.stdin.end()
    expect(await within(3000, server.exit, 'the exit')).toEqual([0, null])
  })

  test('S10: accepted requests are answered first', async () => {
    const server = testStdio()
    await server.healthy()
    server.send(
      ...Array.from({ length: 300 }, (_, id) => modernRequest('tools/call', tool('slow', { ms: 200, tag: `${id}` }), id)),
    )
    server.write(JSON.stringify(modernRequest('tools/call', tool('echo', { text: 'without a newline' }), 'last')))
    server.child.stdin.end()
    expect(await within(3000, server.exit, 'the exit')).toEqual([0, null])
    await until(() => server.child.stdout.closed, 'the end of stdout')
    expect(server.messages.filter(({ id, result }) => typeof id === 'number' && result).length).toBe(300)
    expect(textOf(server.messages.find(({ id }) => id === 'last'))).toBe('without a newline')
  })

  test('S10: waiting for a handler that does not end is limited', async () => {
    const server = testStdio({ stdio: { drainTimeoutMs: 500 } })
    await server.healthy()
    server.send(
      modernRequest('tools/call', tool('stubborn', { ms: 60_000 })),
      modernRequest('subscriptions/listen', { notifications: { toolsListChanged: true } }),
    )
    await sleep(100)
    server.child.stdin.end()
    expect(await within(2000, server.exit, 'the exit')).toEqual([0, null])
  })

  test('S10: the end of stdin is seen while the client does not read', async () => {
    const server = testStdio({ stdio: { drainTimeoutMs: 500 } })
    await server.healthy()
    server.child.stdout.pause()
    server.send(
      modernRequest('tools/call', tool('flood', { count: 2000, bytes: 10_000 }, logLevel)),
      ...Array.from({ length: 5 }, () => modernRequest('tools/call', tool('echo', { text: 'x'.repeat(100_000) }))),
    )
    await sleep(500)
    server.child.stdin.end()
    expect(await within(2000, server.exit, 'the exit')).toEqual([0, null])
  })

  test('S10: open subscriptions do not keep the process alive', async () => {
    const server = testStdio()
    await server.healthy()
    server.send(modernRequest('subscriptions/listen', { notifications: { toolsListChanged: true } }, 'listen'))
    await server.next(({ method }) => method === 'notifications/subscriptions/acknowledged')
    server.child.stdin.end()
    expect(await within(1000, server.exit, 'the exit')).toEqual([0, null])
  })

  test('S10: a pending input request does not keep the server alive', async () => {
    const server = testStdio()
    await server.ask(
      request('initialize', {
        protocolVersion: '2025-11-25',
        capabilities: { elicitation: {} },
        clientInfo: { name: 'x', version: '1' },
      }),
    )
    server.send(request('tools/call', tool('ask'), 'asking'))
    await server.next(({ method }) => method === 'elicitation/create')
    server.child.stdin.end()
    expect(await within(1500, server.exit, 'the exit')).toEqual([0, null])
  })

  test('S11: a client that closes stdout while a response is pending does not crash the server', async () => {
    const server = testStdio()
    await server.healthy()
    server.send(
      modernRequest('tools/call', tool('slow', { ms: 100 })),
      modernRequest('tools/call', tool('flood', { count: 1000, bytes: 10_000 }, logLevel)),
    )
    server.child.stdout.destroy()
    const [code, signal] = await within(8000, server.exit, 'the exit')
    expect([code, signal]).toEqual([0, null])
    expect(server.stderr()).not.toMatch(/EPIPE|Unhandled|at /)
  })

  test('S11: a client that disconnects completely does not crash the server', async () => {
    const server = testStdio()
    await server.healthy()
    server.send(modernRequest('tools/call', tool('rude-flood', { count: 1_000_000, bytes: 1000 }, logLevel)))
    await sleep(100)
    for (const stream of [server.child.stdin, server.child.stdout, server.child.stderr]) stream.destroy()
    expect(await within(8000, server.exit, 'the exit')).toEqual([0, null])
  })

  test('S21: when its parent is killed, the server ends', async () => {
    const program = process.env.FAULTS_SERVER!
    const script = `
      const child = require('node:child_process').spawn(process.execPath, [${JSON.stringify(program)}, '{"transport":"stdio"}'], { stdio: ['pipe', 'pipe', 'inherit'] })
      const call = (id, name, args) => child.stdin.write(JSON.stringify(${JSON.stringify(modernRequest('tools/call', {}, 'ID'))}).replace('"ID"', id).replace('"params":{', '"params":{"name":"' + name + '","arguments":' + JSON.stringify(args) + ',') + '\\n')
      call(1, 'slow', { ms: 60000 })
      call(2, 'echo', { text: 'x' })
      child.stdout.once('data', () => console.log(child.pid))
      setInterval(() => {}, 1000)
    `
    const parent = spawn(process.execPath, ['--eval', script], { stdio: ['ignore', 'pipe', 'inherit'] })
    const [data] = (await within(5000, once(parent.stdout, 'data'), 'the start')) as [Buffer]
    const pid = Number(data.toString())
    expect(isAlive(pid)).toBe(true)
    parent.kill('SIGKILL')
    await until(() => !isAlive(pid), 'the end of the server')
  })

  test('S22: SIGTERM ends an idle server', async () => {
    const server = testStdio()
    await server.healthy()
    server.kill('SIGTERM')
    expect(await within(1000, server.exit, 'the exit')).toEqual([0, null])
  })

  test('S22: SIGTERM lets calls finish', async () => {
    const server = testStdio()
    await server.healthy()
    server.send(modernRequest('tools/call', tool('slow', { ms: 400, tag: 'finished' }), 'slow'))
    await until(async () => (await server.counts()).started === 1, 'the start')
    server.kill('SIGTERM')
    const [code, signal] = await within(2000, server.exit, 'the exit')
    expect([code, signal]).toEqual([0, null])
    await until(() => server.child.stdout.closed, 'the end of stdout')
    expect(textOf(server.messages.find(({ id }) => id === 'slow'))).toBe('slow finished')
  })

  test('S22: SIGTERM stops the server despite a stuck handler and a client that does not read', async () => {
    const server = testStdio({ reads: false, stdio: { drainTimeoutMs: 500 } })
    server.send(
      modernRequest('tools/call', tool('stubborn', { ms: 60_000 })),
      modernRequest('tools/call', tool('flood', { count: 10_000, bytes: 10_000 }, logLevel)),
    )
    await sleep(600)
    server.kill('SIGTERM')
    await within(3000, server.exit, 'the exit')
  })

  test('S24: a tool that exits the process closes stdout cleanly and at once', async () => {
    const server = testStdio()
    await server.healthy()
    server.send(modernRequest('tools/call', tool('slow', { ms: 10_000 })), modernRequest('tools/call', tool('exit', { code: 9 })))
    const took = await timed(async () => expect(await within(1000, server.exit, 'the exit')).toEqual([9, null]))
    expect(took).toBeLessThan(10_000)
    await until(() => server.child.stdout.closed, 'the end of stdout')
    expect(server.garbage).toEqual([])
  })
})

describe('over HTTP', () => {
  test('H64: a tool that ends the process ends all connections at once', async () => {
    const server = await testHttp()
    const session = await server.session()
    const waiting = [
      modern('tools/call', tool('slow', { ms: 10_000 })),
      session.get(),
      session.post(request('tools/call', tool('slow', { ms: 10_000 }))),
    ]
    const connections = waiting.map((bytes) => {
      const connection = server.connect()
      connection.send(bytes)
      return connection
    })
    await sleep(200)
    const last = server.connect()
    last.send(modern('tools/call', tool('exit', { code: 9 })))
    await Promise.all([...connections, last].map((connection) => connection.end()))
    expect(await server.exit).toEqual([9, null])
  })

  test('S22: SIGTERM stops an idle server despite open connections', async () => {
    const server = await testHttp()
    const idle = server.connect()
    idle.send(modern('tools/call', tool('echo', { text: 'x' })))
    await idle.answer()
    const half = server.connect()
    half.send('POST /mcp HTTP/1.1\r\nHost: loc')
    await sleep(50)
    server.kill('SIGTERM')
    expect(await within(2000, server.exit, 'the exit')).toEqual([0, null])
    await idle.end()
    await half.end()
  })

  test('S22: SIGTERM takes no new requests, ends streams gracefully and lets calls finish', async () => {
    const server = await testHttp()
    const session = await server.session()
    const [call, stream, listen, keptAlive] = [server.connect(), server.connect(), server.connect(), server.connect()]
    keptAlive.send(modern('tools/call', tool('echo', { text: 'x' })))
    await keptAlive.answer()
    const before = await server.counts()
    call.send(modern('tools/call', tool('slow', { ms: 800, tag: 'finished' })))
    stream.send(session.get())
    listen.send(modern('subscriptions/listen', { notifications: { toolsListChanged: true } }, {}, 'listen'))
    await stream.head()
    await listen.head()
    await until(async () => (await server.counts()).started > before.started, 'the start')
    server.kill('SIGTERM')
    const events = await listen.events()
    keptAlive.send(modern('tools/call', tool('echo', { text: 'late' })))
    const refusedLate = await keptAlive.answer().catch(() => undefined)
    if (refusedLate) expect(refusedLate.status).toBe(503)
    const refused = server.connect()
    refused.send(modern('tools/call', tool('echo', { text: 'late' })))
    await refused.end()
    expect(events.at(-1)?.json).toMatchObject({ id: 'listen', result: {} })
    expect(await stream.events()).toEqual(expect.any(Array))
    expect(textOf((await call.answer()).json)).toBe('slow finished')
    expect(await within(2000, server.exit, 'the exit')).toEqual([0, null])
  })

  test('S22: waiting for a handler that does not end is limited', async () => {
    const server = await testHttp({ http: { drainTimeoutMs: 500 } })
    const call = server.connect()
    call.send(modern('tools/call', tool('stubborn', { ms: 60_000 })))
    await sleep(200)
    server.kill('SIGTERM')
    expect(await within(2500, server.exit, 'the exit')).toEqual([0, null])
    await call.end()
  })

  test('a port in use is reported as an error', async () => {
    const server = await testHttp()
    await expect(testHttp({ http: { port: server.port } })).rejects.toThrow(/EADDRINUSE/)
    await server.healthy()
  })

  test('listening on other interfaces requires allowed hosts', async () => {
    await expect(testHttp({ http: { host: '0.0.0.0' } })).rejects.toThrow(/allowedHosts/)
  })

  test('the server listens on the loopback address only', async () => {
    const server = await testHttp()
    const sockets = readFileSync('/proc/net/tcp', 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
    const port = server.port.toString(16).toUpperCase().padStart(4, '0')
    const listening = sockets
      .filter(([, local = '', , state]) => local.endsWith(`:${port}`) && state === '0A')
      .map(([, local]) => local)
    expect(listening).toEqual([`0100007F:${port}`])
    expect((await server.send(write('GET', {}, undefined, '/other'))).status).toBe(404)
    await server.healthy()
  })
})
