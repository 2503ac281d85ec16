import { createServer } from 'portcall'
import type { ConnectTarget } from 'portcall/client'
import { type DiagnoseOptions, type Diagnosis, diagnose } from 'portcall/diagnostics'
import { serve } from 'portcall/node'
import { describe, expect, onTestFinished, test } from 'vitest'
import { BROKEN_SERVERS } from './support/broken-servers.ts'
import { oldServer, serveHttp } from './support/raw-server.ts'

async function run(target: ConnectTarget, options?: DiagnoseOptions): Promise<Diagnosis> {
  for await (const event of diagnose(target, options)) if (event.type === 'finished') return event.diagnosis
  throw new Error('The diagnosis did not finish')
}

function createNotes(): ReturnType<typeof createServer> {
  const server = createServer({ name: 'notes', version: '1.0.0' }, { instructions: 'Use it for notes.' })
  server.tool('search', { description: 'Searches notes', annotations: { readOnlyHint: true } }, () => 'found')
  return server
}

describe('each broken server is named at the right step', () => {
  test.each(BROKEN_SERVERS)('$name', async ({ start, step, problem, verdict = 'failed', says = /./, advice = /./ }) => {
    const { target, options, close } = await start()
    onTestFinished(close)
    const { steps, failedStep } = await run(target, options)
    const named = steps.find((result) => result.step === step)
    expect({ verdict: named?.verdict, problems: named?.problems.map(({ code }) => code) }).toEqual({
      verdict,
      problems: expect.arrayContaining([problem]),
    })
    if (verdict === 'failed') expect(failedStep).toBe(step)
    for (const one of named?.problems ?? []) expect([one.advice, one.message]).not.toContain('')
    const found = named?.problems.find(({ code }) => code === problem)
    expect(found?.message).toMatch(says)
    expect(found?.advice).toMatch(advice)
  })

  test('there are at least 25', () => {
    expect(BROKEN_SERVERS.length).toBeGreaterThanOrEqual(25)
  })
})

describe('servers that work', () => {
  test('of the newest revision', async () => {
    const listening = await serve(createNotes(), { port: 0, handleProcessSignals: false })
    onTestFinished(() => listening.close())
    const { verdict, steps } = await run(listening.url)
    expect({ verdict, problems: steps.flatMap(({ problems }) => problems) }).toEqual({ verdict: 'passed', problems: [] })
    expect(steps.map(({ step }) => step)).toEqual([
      'target',
      'dns',
      'tcp',
      'tls',
      'http',
      'authorization',
      'sign-in',
      'era',
      'session',
      'capabilities',
      'lists',
      'schemas',
      'hosts',
    ])
  })

  test('of an older revision', async () => {
    const { port, close } = await serveHttp(oldServer())
    onTestFinished(close)
    const { verdict, steps } = await run(`http://127.0.0.1:${port}/mcp`)
    expect({ verdict, problems: steps.flatMap(({ problems }) => problems) }).toEqual({ verdict: 'passed', problems: [] })
    expect(steps.find(({ step }) => step === 'era')?.summary).toContain('2025-06-18')
  })

  test('in this process', async () => {
    const { verdict, steps } = await run(createNotes())
    expect({ verdict, steps: steps.map(({ step }) => step) }).toEqual({
      verdict: 'passed',
      steps: ['target', 'era', 'capabilities', 'lists', 'schemas', 'hosts'],
    })
  })
})

test('evidence contains no secrets', async () => {
  const { port, close } = await serveHttp((_, response) => {
    response.writeHead(500, { 'set-cookie': 'sid=very-secret-cookie' }).end('Bearer abcdefgh12345678 is wrong')
  })
  onTestFinished(close)
  const diagnosis = await run(`http://127.0.0.1:${port}/mcp`, { headers: { Authorization: 'Bearer my-own-secret-token' } })
  const text = JSON.stringify(diagnosis)
  for (const secret of ['very-secret-cookie', 'abcdefgh12345678', 'my-own-secret-token']) expect(text).not.toContain(secret)
})

test('aborting ends the diagnosis with the reason', async () => {
  const { port, close } = await serveHttp(() => {})
  onTestFinished(close)
  const controller = new AbortController()
  const running = run(`http://127.0.0.1:${port}/mcp`, { signal: controller.signal })
  controller.abort(new Error('enough'))
  await expect(running).rejects.toThrow('enough')
})
