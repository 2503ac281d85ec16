import { type AuthDebugger, type AuthDebuggerOptions, type AuthFlowState, createAuthDebugger } from 'portcall/diagnostics'
import { describe, expect, onTestFinished, test } from 'vitest'
import { BROKEN_AUTH_SERVERS, startAuthorization } from './support/broken-auth-servers.ts'

const REDIRECT_URI = 'http://127.0.0.1:49152/callback'

/** A flow, and what its authorization server redirected to. */
interface Browsed {
  readonly flow: AuthDebugger
  readonly redirects: string[]
  readonly accepted: boolean[]
}

/** Creates a flow whose user signs in at once. `onStuck` is called when a response was refused. */
function createFlow(
  url: string,
  options: Partial<AuthDebuggerOptions> = {},
  onStuck = (flow: AuthDebugger): void => flow.cancel(),
): Browsed {
  const redirects: string[] = []
  const accepted: boolean[] = []
  const visited = new Set<string>()
  const visit = async (address: string): Promise<void> => {
    const response = await fetch(address, { redirect: 'manual' })
    const location = response.headers.get('location') ?? ''
    redirects.push(location)
    accepted.push(flow.receive(location))
    if (!accepted.at(-1)) onStuck(flow)
  }
  const flow = createAuthDebugger(url, {
    redirectUri: REDIRECT_URI,
    ...options,
    onChange(state) {
      options.onChange?.(state)
      const { status, authorizationUrl } = state
      if (status !== 'waiting' || authorizationUrl === undefined || visited.has(authorizationUrl)) return
      visited.add(authorizationUrl)
      void visit(authorizationUrl)
    },
  })
  return { flow, redirects, accepted }
}

async function start(faults?: Parameters<typeof startAuthorization>[0]): ReturnType<typeof startAuthorization> {
  const fixture = await startAuthorization(faults)
  onTestFinished(fixture.close)
  return fixture
}

const outcomes = ({ steps }: AuthFlowState): string[] => steps.map(({ step, status }) => `${step} ${status}`)

describe('each broken authorization is flagged at its step', () => {
  test.each(BROKEN_AUTH_SERVERS)('$name', async ({ start: startFixture, step, rule, verdict = 'failed' }) => {
    const { url, close } = await startFixture()
    onTestFinished(close)
    const { flow } = createFlow(url)
    const state = await flow.start()
    const named = state.steps.find((one) => one.step === step)
    const check = named?.checks.find((one) => one.rule === rule)
    expect({ rule: check?.rule, verdict: check?.verdict }).toEqual({ rule, verdict })
    expect(check?.section.url).toMatch(/^https:\/\//)
    expect([check?.message, check?.advice]).not.toContain('')
    // Nothing before the step fails.
    const failed = state.steps.find(({ checks }) => checks.some((one) => one.verdict === 'failed'))
    if (verdict === 'failed') expect(failed?.step).toBe(step)
  })

  test('there are at least 20', () => {
    expect(BROKEN_AUTH_SERVERS.length).toBeGreaterThanOrEqual(20)
  })
})

describe('a sign-in that works', () => {
  test('all steps, in order, without a violation', async () => {
    const { url, issuer } = await start()
    const { flow } = createFlow(url)
    const state = await flow.start()
    expect({ status: state.status, steps: outcomes(state) }).toEqual({
      status: 'done',
      steps: [
        'challenge passed',
        'resource-metadata passed',
        'server-metadata passed',
        'registration passed',
        'authorization passed',
        'callback passed',
        'token passed',
        'call passed',
      ],
    })
    const token = state.steps.find(({ step }) => step === 'token')
    expect(token?.claims[0]).toMatchObject({ label: 'access_token', payload: { iss: issuer, aud: expect.anything() } })
    expect(flow.accessToken).toBeTypeOf('string')
    expect(outcomes(await flow.refresh()).at(-1)).toBe('refresh passed')
  })

  test('step by step: each request waits', async () => {
    const { url } = await start()
    const paused: string[] = []
    const { flow } = createFlow(url, {
      mode: 'step',
      onChange({ status, next }) {
        if (status !== 'paused' || next === undefined) return
        paused.push(next)
        queueMicrotask(flowNext)
      },
    })
    const flowNext = (): void => flow.next()
    expect((await flow.start()).status).toBe('done')
    expect(paused).toEqual(['challenge', 'resource-metadata', 'server-metadata', 'registration', 'token', 'call'])
  })

  test('a configured client is not registered', async () => {
    const { url } = await start({ options: { clients: [{ client_id: 'known', redirect_uris: [REDIRECT_URI] }] } })
    const { flow } = createFlow(url, { client: { clientId: 'known' } })
    const { status, steps } = await flow.start()
    expect({ status, exchanges: steps.find(({ step }) => step === 'registration')?.exchanges }).toEqual({
      status: 'done',
      exchanges: [],
    })
  })

  test('step-up: a 403 response names the scopes, and the new token is accepted', async () => {
    let calls = 0
    const { url } = await start({
      intercept(request, response) {
        if (request.headers.authorization === undefined || ++calls > 1) return false
        response.writeHead(403, { 'www-authenticate': 'Bearer error="insufficient_scope", scope="notes:write"' }).end()
        return true
      },
    })
    const { flow } = createFlow(url)
    await flow.start()
    const state = await flow.stepUp()
    expect({ status: state.status, last: outcomes(state).at(-1) }).toEqual({ status: 'done', last: 'step-up passed' })
    const authorization = state.steps.find(({ step }) => step === 'step-up')
    expect(authorization?.exchanges.length).toBeGreaterThanOrEqual(2)
  })

  test('a 403 response without scopes is flagged at the step-up', async () => {
    const { url } = await start({
      intercept(request, response) {
        if (request.headers.authorization === undefined) return false
        response.writeHead(403).end()
        return true
      },
    })
    const { flow } = createFlow(url)
    await flow.start()
    const { steps } = await flow.stepUp(['notes:write'])
    const failed = steps.find(({ step }) => step === 'step-up')?.checks.filter(({ verdict }) => verdict === 'failed')
    expect(failed?.map(({ rule }) => rule)).toContain('step-up-challenge')
  })
})

describe('secrets', () => {
  test('the state and the export hold no token, code, verifier or secret; a placeholder reveals one', async () => {
    const { url } = await start()
    const { flow, redirects } = createFlow(url)
    await flow.start()
    await flow.refresh()
    const code = new URL(redirects[0] ?? '').searchParams.get('code') ?? ''
    const token = flow.accessToken ?? ''
    expect([code, token].every((secret) => secret.length > 8)).toBe(true)
    for (const text of [JSON.stringify(flow.state), flow.export()])
      for (const secret of [code, token, encodeURIComponent(code), token.split('.')[2] ?? token])
        expect(text).not.toContain(secret)
    expect(flow.export()).not.toMatch(/eyJ[\w-]+\.eyJ/)
    const [placeholder = ''] = /Bearer (••••\d+)/.exec(JSON.stringify(flow.state))?.slice(1) ?? []
    expect(flow.reveal(placeholder)).toMatch(/^eyJ/)
    flow.clear()
    expect([flow.reveal(placeholder), flow.accessToken, flow.state.steps]).toEqual([undefined, undefined, []])
  })

  test('a foreign state and a repeated one are refused', async () => {
    const { url } = await start()
    const refused: boolean[] = []
    const flow = createAuthDebugger(url, {
      redirectUri: REDIRECT_URI,
      onChange({ status, authorizationUrl }) {
        if (status !== 'waiting' || authorizationUrl === undefined || refused.length > 0) return
        refused.push(flow.receive(`${REDIRECT_URI}?state=foreign&code=x`), flow.receive(new URLSearchParams()))
        void fetch(authorizationUrl, { redirect: 'manual' }).then((response) => {
          const location = response.headers.get('location') ?? ''
          refused.push(flow.receive(location), flow.receive(location))
        })
      },
    })
    expect((await flow.start()).status).toBe('done')
    expect(refused).toEqual([false, false, true, false])
  })
})

test('a flow can be cancelled while it waits, and never rejects', async () => {
  const { url } = await start()
  const flow = createAuthDebugger(url, {
    redirectUri: REDIRECT_URI,
    onChange: ({ status }) => void (status === 'waiting' && queueMicrotask(() => flow.cancel())),
  })
  expect((await flow.start()).status).toBe('cancelled')
})

test('a server that cannot be reached fails at the challenge', async () => {
  const { flow } = createFlow('http://127.0.0.1:1/mcp')
  const { status, steps } = await flow.start()
  expect({ status, failed: steps.map(({ step, status: outcome }) => [step, outcome]) }).toEqual({
    status: 'failed',
    failed: [['challenge', 'failed']],
  })
})
