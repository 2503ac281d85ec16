/** Middleware keeps outcomes of requests, never refusals, and each only for callers who may have it: on servers, and in gateways. */
import { type Auth, createServer, deriveContext, ErrorCode, type Middleware, RpcError, type Server, ToolError } from 'portcall'
import { type CallToolResult, connect, type Exchange } from 'portcall/client'
import {
  accessRules,
  callLimits,
  createApprovalQueue,
  createGateway,
  type GatewayOptions,
  type GatewayPolicy,
} from 'portcall/gateway'
import {
  concurrencyLimit,
  idempotency,
  idempotencyKey,
  rateLimit,
  resultCache,
  resultSizeLimit,
  timeLimit,
} from 'portcall/middleware'
import { serve } from 'portcall/node'
import { describe, expect, onTestFinished, test } from 'vitest'

const ADA: Auth = { principal: 'iss#ada', clientId: 'app', scopes: ['read', 'pay'] }
const HOUR_MS = 3_600_000

/** Calls a tool as a caller. Returns the text of the result, or the message of the error. */
async function call(exchange: Exchange, auth: Auth | undefined, options: CallOptions = {}): Promise<string> {
  const { name = 'pay', args = {}, key = 'K' } = options
  const as: Middleware = (request, context, next) => next(request, deriveContext(context, { auth }))
  await using client = await connect({ exchange }, { middleware: [as] })
  try {
    return textOf(await client.callTool(name, args, { meta: idempotencyKey(key) }))
  } catch (error) {
    return (error as Error).message
  }
}

interface CallOptions {
  readonly name?: string
  readonly args?: Record<string, unknown>
  readonly key?: string
}

function textOf({ content }: CallToolResult): string {
  return content.map((block) => ('text' in block ? block.text : '')).join('')
}

interface Bank {
  readonly server: Server
  readonly runs: () => number
}

/** A server with a tool that counts its runs. */
function createBank(...middleware: Middleware[]): Bank {
  let runs = 0
  const server = createServer({ name: 'bank', version: '1' }, { onEvent: () => {} })
  for (const layer of middleware) server.use(layer)
  server.tool(
    'pay',
    { scopes: ['pay'], input: { type: 'object', properties: { n: { type: 'number' } } } },
    () => `paid ${++runs}`,
  )
  server.tool('broken', {}, () => {
    throw new ToolError(`broken ${++runs}`)
  })
  server.tool('picky', {}, () => {
    throw new RpcError(ErrorCode.invalidParams, `picky ${++runs}`)
  })
  server.tool('crash', {}, () => {
    throw new Error(`crash ${++runs}`)
  })
  onTestFinished(() => server.close())
  return { server, runs: () => runs }
}

/** Something that refuses a call once, and lets it pass later. */
interface Refusing {
  readonly what: string
  readonly create: () => { readonly middleware: Middleware; readonly pass: () => void }
  /** True if another process cannot tell it from a result of the tool. */
  readonly looksLikeResult?: boolean
}

/** Refuses requests until they may pass. */
const until = (refuse: Middleware) => () => {
  let passes = false
  const middleware: Middleware = (request, context, next) =>
    passes || request.method !== 'tools/call' ? next(request, context) : refuse(request, context, next)
  return { middleware, pass: () => void (passes = true) }
}

/** A limit whose share was used up. A limit has a time of its own for each interval, so another one takes its place. */
const usedUp = (create: () => Middleware) =>
  until(async (request, context) => {
    const limit = create()
    const idle = new Promise<never>(() => {})
    void limit(request, context, () => idle)
    await Promise.resolve()
    return limit(request, context, () => idle)
  })

const MIDDLEWARE: readonly Refusing[] = [
  { what: 'rateLimit', create: usedUp(() => rateLimit({ limit: 1, intervalMs: HOUR_MS })) },
  { what: 'concurrencyLimit', create: usedUp(() => concurrencyLimit({ limit: 1 })) },
  {
    what: 'middleware that throws an error',
    create: until(() => Promise.reject(new RpcError(ErrorCode.invalidRequest, 'Only administrators'))),
  },
  {
    what: 'middleware that throws an internal error',
    looksLikeResult: true,
    create: until(() => Promise.reject(new RpcError(ErrorCode.internalError, 'busy'))),
  },
  {
    what: 'middleware that answers with an error',
    create: until(async ({ id }) => ({ jsonrpc: '2.0', id, error: { code: ErrorCode.invalidRequest, message: 'no' } })),
  },
  {
    what: 'middleware that changes the tool to an unknown one',
    create: until((request, context, next) => next({ ...request, params: { ...request.params, name: 'none' } }, context)),
  },
  {
    what: 'middleware that makes the arguments invalid',
    looksLikeResult: true,
    create: until((request, context, next) =>
      next({ ...request, params: { ...request.params, arguments: { n: 'x' } } }, context),
    ),
  },
  {
    what: 'missing scopes',
    create: until((request, context, next) => next(request, deriveContext(context, { auth: { ...ADA, scopes: [] } }))),
  },
  { what: 'a full share of receipts', create: until(fullReceipts()) },
]

/** Middleware in which the caller has no receipt left. */
function fullReceipts(): Middleware {
  return idempotency({ maxReceipts: 0, name: 'inner' })
}

describe.each(MIDDLEWARE)('a refusal by $what', ({ create, looksLikeResult }) => {
  test('is not kept by idempotency', async () => {
    const { middleware, pass } = create()
    const { server, runs } = createBank(idempotency(), middleware)
    const refused = await call(server.exchange, ADA)
    expect([refused, runs()]).toEqual([expect.not.stringMatching(/^paid/), 0])
    expect(await call(server.exchange, ADA)).toBe(refused)
    pass()
    expect(await call(server.exchange, ADA)).toBe('paid 1')
    expect(await call(server.exchange, ADA)).toBe('paid 1')
  })

  test('is not kept by resultCache', async () => {
    const { middleware, pass } = create()
    const { server, runs } = createBank(resultCache({ ttlMs: HOUR_MS }), middleware)
    await call(server.exchange, ADA)
    pass()
    expect(await call(server.exchange, ADA)).toBe('paid 1')
    expect(await call(server.exchange, ADA)).toBe('paid 1')
    expect(runs()).toBe(1)
  })

  test.each(['in this process', 'over HTTP'])(
    'is not kept by the idempotency of a gateway whose server refuses, %s',
    async (where) => {
      if (looksLikeResult && where !== 'in this process') return
      const { middleware, pass } = create()
      const { server, runs } = createBank(middleware)
      const target = where !== 'in this process' ? await serveAs(server, ADA) : server
      const gateway = open({ servers: { up: { target, alias: '' } }, middleware: [idempotency()] })
      expect(await call(gateway, ADA)).not.toMatch(/^paid/)
      pass()
      expect(await call(gateway, ADA)).toBe('paid 1')
      expect(await call(gateway, ADA)).toBe('paid 1')
      expect(runs()).toBe(1)
    },
  )
})

async function serveAs(server: Server, auth: Auth): Promise<URL> {
  const { url, close } = await serve(server, { port: 0, handleProcessSignals: false, authenticate: () => auth })
  onTestFinished(() => close())
  return new URL(url)
}

function open(options: GatewayOptions): Exchange {
  const gateway = createGateway(options)
  onTestFinished(() => gateway.close())
  return gateway.exchange
}

describe('outcomes', () => {
  test.each([
    ['a result', 'pay', 'paid 1'],
    ['a failed result', 'broken', 'broken 1'],
    ['an error of the handler', 'picky', 'picky 1'],
  ])('%s is kept by idempotency: the handler has run', async (_what, name, text) => {
    const { server, runs } = createBank(idempotency())
    for (let attempt = 0; attempt < 3; attempt++) expect(await call(server.exchange, ADA, { name })).toBe(text)
    expect(runs()).toBe(1)
  })

  test('a handler that crashed is not run again', async () => {
    const { server, runs } = createBank(idempotency())
    expect(await call(server.exchange, ADA, { name: 'crash' })).toBe(await call(server.exchange, ADA, { name: 'crash' }))
    expect(runs()).toBe(1)
  })

  test.each([
    ['timeLimit', timeLimit({ timeoutMs: 1 })],
    ['resultSizeLimit', resultSizeLimit({ maxBytes: 1 })],
  ])('what %s replaces has run', async (_what, layer) => {
    let runs = 0
    const server = createServer({ name: 'slow', version: '1' })
    server.use(idempotency()).use(layer)
    server.tool('pay', {}, async (_args, { signal }) => {
      runs++
      if (_what === 'timeLimit') await new Promise((resolve) => signal.addEventListener('abort', resolve))
      return 'paid'
    })
    onTestFinished(() => server.close())
    const first = await call(server.exchange, ADA)
    expect(first).not.toBe('paid')
    expect(await call(server.exchange, ADA)).toBe(first)
    expect(runs).toBe(1)
  })

  test('a call that becomes a failed result is not cached by resultCache', async () => {
    const { server, runs } = createBank(resultCache({ ttlMs: HOUR_MS }))
    await call(server.exchange, ADA, { name: 'broken' })
    await call(server.exchange, ADA, { name: 'broken' })
    expect(runs()).toBe(2)
  })
})

/** Authorizations of the same person that may do less than Ada's, or something else. */
const OTHERS: readonly [what: string, auth: Auth | undefined][] = [
  ['fewer scopes', { ...ADA, scopes: ['read'] }],
  ['no scopes', { principal: ADA.principal, clientId: 'app' }],
  ['another client', { ...ADA, clientId: 'other', scopes: ['read'] }],
  ['another principal', { ...ADA, principal: 'iss#eve', scopes: ['read'] }],
  ['other claims', { ...ADA, scopes: ['read'], claims: { groups: ['guests'] } }],
  ['no authorization', undefined],
]

describe.each(OTHERS)('a caller with %s', (_what, other) => {
  /** The middleware that may answer with what it kept, and what it wraps: only callers with the scope `pay` may call the tool. */
  const KEEPERS: readonly [string, () => Middleware][] = [
    ['resultCache', () => resultCache({ ttlMs: HOUR_MS })],
    ['idempotency', () => idempotency()],
  ]

  test.each(KEEPERS)('gets nothing that %s of a server kept for another', async (_name, create) => {
    let runs = 0
    const server = createServer({ name: 'bank', version: '1' }).use(create())
    server.tool('secret', { visible: ({ auth }) => auth?.scopes?.includes('pay') ?? false }, () => `secret ${++runs}`)
    onTestFinished(() => server.close())
    const options = { name: 'secret' }
    expect(await call(server.exchange, ADA, options)).toBe('secret 1')
    expect(await call(server.exchange, other, options)).not.toContain('secret 1')
    expect(await call(server.exchange, ADA, options)).toBe('secret 1')
    expect(runs).toBe(1)
  })

  test.each(KEEPERS)('gets nothing past the policies of a gateway that %s kept', async (_name, create) => {
    const server = createServer({ name: 'bank', version: '1' }).tool('secret', {}, () => 'the secret')
    const gateway = open({
      servers: { up: server },
      middleware: [create()],
      policy: accessRules({ default: 'allow', rules: [{ tools: 'secret', do: 'deny', unless: { scopes: 'pay' } }] }),
    })
    const options = { name: 'up__secret' }
    expect(await call(gateway, ADA, options)).toBe('the secret')
    expect(await call(gateway, other, options)).toContain('Unknown tool')
  })

  test('cannot read a result that was linked for another', async () => {
    const server = createServer({ name: 'bank', version: '1' }).use(resultSizeLimit({ maxBytes: 400, exceeded: 'link' }))
    server.tool('report', {}, () => 'x'.repeat(1000))
    onTestFinished(() => server.close())
    const as = async (auth: Auth | undefined) => {
      const client = await connect(server, {
        middleware: [(request, context, next) => next(request, deriveContext(context, { auth }))],
      })
      onTestFinished(() => client.close())
      return client
    }
    const ada = await as(ADA)
    const link = (await ada.callTool('report')).content.find((block) => block.type === 'resource_link')
    await expect((await as(other)).readResource(link!.uri)).rejects.toThrow()
    const more = await as({ ...ADA, scopes: [...(ADA.scopes ?? []), 'admin'], expiresAt: 4e9 })
    expect((await more.readResource(link!.uri)).contents).toMatchObject([{ text: 'x'.repeat(1000) }])
  })
})

test('a call whose token was renewed, also with more scopes, runs once', async () => {
  const { server, runs } = createBank(idempotency())
  await call(server.exchange, ADA)
  const renewed = { ...ADA, expiresAt: 4e9, claims: { iat: 5, jti: 'x' } }
  const before = { ...ADA, claims: { iat: 1, jti: 'y' } }
  expect(await call(server.exchange, { ...ADA, scopes: [...(ADA.scopes ?? []), 'admin'] })).toBe('paid 1')
  expect(await call(server.exchange, before, { key: 'L' })).toBe('paid 2')
  expect(await call(server.exchange, renewed, { key: 'L' })).toBe('paid 2')
  expect(runs()).toBe(2)
})

test('a call that was refused for a missing scope runs after the step-up, with the same key', async () => {
  const { server } = createBank(idempotency())
  expect(await call(server.exchange, { ...ADA, scopes: ['read'] })).toContain('Insufficient scope')
  expect(await call(server.exchange, ADA)).toBe('paid 1')
})

describe('in a gateway', () => {
  test.each([
    ['resultCache', () => resultCache({ ttlMs: HOUR_MS })],
    ['idempotency', () => idempotency()],
  ])('a rule that is added later applies to what %s kept', async (_what, create) => {
    const { server, runs } = createBank()
    const gateway = createGateway({ servers: { up: { target: server, alias: '' } }, middleware: [create()] })
    onTestFinished(() => gateway.close())
    expect(await call(gateway.exchange, ADA)).toBe('paid 1')
    expect(await call(gateway.exchange, ADA)).toBe('paid 1')
    gateway.setPolicy(accessRules({ default: 'allow', rules: [{ tools: 'pay', do: 'deny' }] }))
    expect(await call(gateway.exchange, ADA)).toContain('Unknown tool')
    gateway.setPolicy([])
    expect(await call(gateway.exchange, ADA)).toBe('paid 1')
    expect(runs()).toBe(1)
  })

  test('what a policy removes from results is removed from kept ones too', async () => {
    const { server } = createBank()
    const redact: GatewayPolicy = { result: (_result) => ({ content: [{ type: 'text', text: 'removed' }] }) }
    const gateway = createGateway({
      servers: { up: { target: server, alias: '' } },
      middleware: [resultCache({ ttlMs: HOUR_MS })],
    })
    onTestFinished(() => gateway.close())
    expect(await call(gateway.exchange, ADA)).toBe('paid 1')
    gateway.setPolicy(redact)
    expect(await call(gateway.exchange, ADA)).toBe('removed')
  })

  test('a call that waits for approval runs with the same key when it is approved', async () => {
    const { server, runs } = createBank()
    const approver = createApprovalQueue()
    const policy = accessRules({ default: 'approve', rules: [], approvals: { approver, askUser: false } })
    const gateway = open({ servers: { up: { target: server, alias: '' } }, middleware: [idempotency()], policy })
    expect(await call(gateway, ADA)).toContain('waits for approval')
    const [waiting] = await approver.list()
    await approver.approve(waiting!.id)
    expect(await call(gateway, ADA)).toBe('paid 1')
    expect(runs()).toBe(1)
  })

  test('a limit of callLimits is not kept', async () => {
    const { server } = createBank()
    const limit = (max: number) => callLimits({ limits: [{ rate: { limit: max, intervalMs: HOUR_MS } }] })
    const gateway = createGateway({
      servers: { up: { target: server, alias: '' } },
      middleware: [idempotency()],
      policy: limit(1),
    })
    onTestFinished(() => gateway.close())
    expect(await call(gateway.exchange, ADA, { key: 'first' })).toBe('paid 1')
    expect(await call(gateway.exchange, ADA)).toContain('Rate limit')
    gateway.setPolicy(limit(10))
    expect(await call(gateway.exchange, ADA)).toBe('paid 2')
    expect(await call(gateway.exchange, ADA)).toBe('paid 2')
  })

  test('a server that cannot be reached has not run the call', async () => {
    const { server, runs } = createBank()
    const { url, close } = await serve(server, { port: 0, handleProcessSignals: false, authenticate: () => ADA })
    const gateway = createGateway({ servers: { up: { target: new URL(url), alias: '' } }, middleware: [idempotency()] })
    onTestFinished(() => gateway.close())
    expect(await call(gateway.exchange, ADA, { key: 'first' })).toBe('paid 1')
    await close()
    expect(await call(gateway.exchange, ADA)).toContain('not available')
    expect(runs()).toBe(1)
    await gateway.setServers({ up: { target: server, alias: '' } })
    expect(await call(gateway.exchange, ADA)).toBe('paid 2')
  })
})
