import { Writable } from 'node:stream'
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node'
import pino from 'pino'
import { createServer, type OnEvent, RpcError, type ServerEvent } from 'portcall'
import { connect } from 'portcall/client'
import { createGateway } from 'portcall/gateway'
import { type Logger, logging } from 'portcall/logging'
import { serve } from 'portcall/node'
import { clientTelemetry } from 'portcall/telemetry'
import { expect, onTestFinished, test, vi } from 'vitest'
import winston from 'winston'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'
const SECRET = 'postgres://admin:hunter2@db/prod'

/** A log record as the libraries write it. */
interface LogLine {
  readonly [field: string]: unknown
}

/** Collects lines of JSON. */
function collect(): { readonly lines: LogLine[]; readonly stream: Writable } {
  const lines: LogLine[] = []
  const stream = new Writable({
    write(chunk, _encoding, done) {
      for (const line of String(chunk).trim().split('\n')) lines.push(JSON.parse(line))
      done()
    },
  })
  return { lines, stream }
}

const PINO_LEVELS: { readonly [level: number]: string } = { 20: 'debug', 30: 'info', 40: 'warn', 50: 'error' }

/** The real loggers; `read` returns records with the members `level` and `message`. */
const LOGGERS: { readonly [name: string]: () => { readonly logger: Logger; readonly read: () => LogLine[] } } = {
  pino() {
    const { lines, stream } = collect()
    return {
      logger: pino({ level: 'debug' }, stream),
      read: () => lines.map(({ level, msg, ...rest }) => ({ ...rest, level: PINO_LEVELS[Number(level)], message: msg })),
    }
  },
  winston() {
    const { lines, stream } = collect()
    const transports = [new winston.transports.Stream({ stream })]
    return { logger: winston.createLogger({ level: 'debug', format: winston.format.json(), transports }), read: () => lines }
  },
  console() {
    const lines: LogLine[] = []
    const method = (level: string) => (message: string, fields: LogLine) => void lines.push({ ...fields, level, message })
    return {
      logger: { error: method('error'), warn: method('warn'), info: method('info'), debug: method('debug') },
      read: () => lines,
    }
  },
}

async function startLogged(logger: Logger, onEvent?: OnEvent) {
  const server = createServer({ name: 'logged', version: '1' }, { logger, ...(onEvent && { onEvent }) })
  server.tool('add', {}, () => 'ok')
  server.tool('crash', {}, () => {
    throw new Error(`cannot reach ${SECRET}`)
  })
  const authenticate = () => ({ principal: 'ada' })
  const listening = await serve(server, { port: 0, authenticate, handleProcessSignals: false })
  onTestFinished(() => listening.close())
  return listening.url
}

const meta = { traceparent: `00-${TRACE}-${SPAN}-01` }

test.each(Object.keys(LOGGERS))('%s gets structured records with the ids of the request', async (name) => {
  const { logger, read } = LOGGERS[name]!()
  const events: ServerEvent[] = []
  const url = await startLogged(logger, (event) => events.push(event))
  const modern = await connect(url)
  const legacy = await connect(url, { protocolVersion: '2025-11-25' })
  onTestFinished(async () => void (await Promise.all([modern.close(), legacy.close()])))
  await modern.callTool('add', {}, { meta })
  await legacy.callTool('add')
  await modern.callTool('crash', {}, { meta }).catch(() => {})
  await modern.tools().toArray()
  const callsOfAdd = () => read().filter(({ event, tool }) => event === 'request' && tool === 'add')
  // A record may be written after its response has arrived.
  await eventually(() => {
    expect(read().some(({ method }) => method === 'tools/list')).toBe(true)
    expect(read().some(({ event }) => event === 'error')).toBe(true)
    expect(callsOfAdd()).toHaveLength(2)
  })

  const calls = callsOfAdd()
  const ids = { requestId: expect.any(Number), user: 'ada', durationMs: expect.any(Number) }
  const record = { level: 'info', message: 'tools/call add: complete', method: 'tools/call', outcome: 'complete' }
  expect(calls[0]).toMatchObject({ ...record, ...ids, traceId: TRACE, spanId: SPAN })
  expect(calls[1]).toMatchObject({ ...record, ...ids, sessionId: expect.stringMatching(/^[\w-]{12}$/) })
  expect(read().find(({ method }) => method === 'tools/list')).toMatchObject({ level: 'debug' })

  const failed = read().find(({ event }) => event === 'error')
  expect(failed).toMatchObject({
    level: 'error',
    message: 'Internal error in tools/call crash',
    reference: expect.stringMatching(/^\w{8}$/),
    user: 'ada',
    traceId: TRACE,
    err: {
      [name === 'pino' ? 'type' : 'name']: 'Error',
      message: expect.stringContaining('cannot reach postgres://[redacted]@db/prod'),
    },
  })
  expect(JSON.stringify(read())).not.toContain('hunter2')
  expect(events).toMatchObject([{ type: 'error', reference: failed?.reference }])
})

test('without a listener, what is logged is not written to stderr as well', async () => {
  const stderr = vi.spyOn(console, 'error').mockImplementation(() => {})
  onTestFinished(() => stderr.mockRestore())
  const { logger, read } = LOGGERS.pino!()
  const client = await connect(await startLogged(logger))
  onTestFinished(() => client.close())
  await client.callTool('crash').catch(() => {})
  await eventually(() => expect(read().some(({ event }) => event === 'error')).toBe(true))
  expect(stderr).not.toHaveBeenCalled()
})

test('requests that middleware rejects are logged', async () => {
  const { logger, read } = LOGGERS.pino!()
  const server = createServer({ name: 'closed', version: '1' }, { logger })
  server.use(async () => {
    throw new RpcError(-32000, 'closed on Sundays')
  })
  const client = await connect(server, { protocolVersion: '2026-07-28' }).catch(() => undefined)
  onTestFinished(async () => client?.close())
  await client?.callTool('add').catch(() => {})
  await eventually(() =>
    expect(read()).toContainEqual(expect.objectContaining({ level: 'warn', errorCode: -32000, reason: 'closed on Sundays' })),
  )
})

test('a logger that throws fails no request', async () => {
  const fail = () => {
    throw new Error('disk full')
  }
  const url = await startLogged({ error: fail, warn: fail, info: fail, debug: fail })
  const client = await connect(url)
  onTestFinished(() => client.close())
  expect(await client.callTool('add')).toMatchObject({ content: [{ text: 'ok' }] })
})

test('a function that cannot remove secrets fails no request, and nothing that it did not redact is written', async () => {
  const { logger, read } = LOGGERS.console!()
  const redact = () => {
    throw new Error('redact')
  }
  const logs = logging({ logger, redact })
  const server = createServer({ name: 'logged', version: '1' }, { onEvent: logs.onEvent }).use(logs.middleware)
  server.tool('crash', {}, () => {
    throw new Error(SECRET)
  })
  const client = await connect(server)
  onTestFinished(() => client.close())
  expect(await client.callTool('crash')).toMatchObject({ isError: true })
  await eventually(() => expect(read().length).toBeGreaterThanOrEqual(2))
  for (const { message } of read()) expect(message).toBe('A record is left out: its secrets could not be removed')
  expect(JSON.stringify(read())).not.toContain('hunter2')
})

test('a client logs its requests and events, with the span of each request', async () => {
  const { logger, read } = LOGGERS.pino!()
  const server = createServer({ name: 'chatty', version: '1' }, { onEvent: () => {} })
  server.tool('talk', {}, async (_: unknown, call) => {
    await call.log('warning', 'low on paper', 'printer')
    return 'done'
  })
  const events: string[] = []
  const { middleware } = clientTelemetry({ tracerProvider: new NodeTracerProvider() })
  const client = await connect(server, { logger, middleware, logLevel: 'debug', onEvent: ({ type }) => events.push(type) })
  onTestFinished(() => client.close())
  await client.callTool('talk')
  await expect(client.callTool('shout')).rejects.toThrow()
  await eventually(() => {
    expect(read()).toContainEqual(expect.objectContaining({ level: 'warn', message: 'low on paper', logger: 'printer' }))
    expect(read()).toContainEqual(
      expect.objectContaining({
        level: 'info',
        message: 'tools/call talk: complete',
        requestId: expect.any(Number),
        durationMs: expect.any(Number),
        traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
        spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
      }),
    )
    expect(read()).toContainEqual(expect.objectContaining({ level: 'warn', tool: 'shout', outcome: '-32602' }))
  })
  expect(events).toEqual(['log'])
})

test('events of clients and gateways are logged', async () => {
  const { logger, read } = LOGGERS.pino!()
  const { onEvent } = logging({ logger })
  const server = createServer({ name: 'chatty', version: '1' })
  server.tool('talk', {}, async (_: unknown, call) => {
    await call.log('warning', 'low on paper', 'printer')
    return 'done'
  })
  const gateway = createGateway({ servers: { chatty: server }, logger })
  onTestFinished(() => gateway.close())
  const client = await connect(gateway, { onEvent, logLevel: 'debug' })
  await client.callTool('chatty__talk')
  await client.close()
  await eventually(() => {
    expect(read()).toContainEqual(expect.objectContaining({ level: 'warn', message: 'low on paper', logger: 'printer' }))
    expect(read()).toContainEqual(
      expect.objectContaining({ event: 'call', level: 'info', server: 'chatty', target: 'talk', outcome: 'result' }),
    )
    expect(read()).toContainEqual(expect.objectContaining({ event: 'request', tool: 'chatty__talk', outcome: 'complete' }))
  })
})
