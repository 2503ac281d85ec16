import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { type Client, connect } from 'portcall/client'
import { describe, expect, onTestFinished, test } from 'vitest'
import { portcall, STDIO, serveModule, start, untilExit, untilOutput } from './support/portcall.ts'

const LOAD = fileURLToPath(new URL('fixtures/load.mjs', import.meta.url))
const AUTOCANNON = fileURLToPath(import.meta.resolve('autocannon'))
const LONG_MS = 120_000
const ERAS = ['2026-07-28', '2025-11-25']

async function bench(...args: string[]): Promise<any> {
  const warmUp = args.includes('--warm-up') ? [] : ['--warm-up', '0.1']
  const { code, out, err } = await portcall(['bench', '--json', ...warmUp, ...args])
  return { code, err, ...(out && JSON.parse(out)) }
}

/** Waits until the tool `wait` was called some times. */
async function untilCalled(client: Client, times: number): Promise<void> {
  const waits = async (): Promise<number> => {
    const [block] = (await client.callTool('waits')).content
    return block?.type === 'text' ? Number(block.text) : 0
  }
  await expect.poll(waits, { timeout: 30_000 }).toBeGreaterThan(times)
}

describe('portcall bench', () => {
  for (const era of ERAS) {
    test(`measures a server over HTTP, ${era}`, { timeout: LONG_MS }, async () => {
      const url = await serveModule(LOAD)
      const args = ['add', 'a=1', 'b=2', '--connections', '4', '--duration', '0.5', '--protocol-version', era]
      const result = await bench(url, ...args)
      expect(result).toMatchObject({ code: 0, call: 'tools/call add', protocolVersion: era, loop: 'closed', errors: {} })
      expect(result.calls).toBeGreaterThan(10)
      expect(result.callsPerSecond / (result.calls / result.seconds)).toBeCloseTo(1, 2)
      const { min, p50, p99, max } = result.latencyMs
      expect([min, p50, p99, max]).toEqual([min, p50, p99, max].sort((a, b) => a - b))
    })

    test(`reads event streams and text that is not ASCII, ${era}`, { timeout: LONG_MS }, async () => {
      const url = await serveModule(LOAD)
      expect(await bench(url, 'stream', '--calls', '50', '--protocol-version', era)).toMatchObject({
        code: 0,
        calls: 50,
        errors: {},
      })
    })
  }

  test('measures other methods, programs and modules', { timeout: LONG_MS }, async () => {
    const url = await serveModule(LOAD)
    expect(await bench(url, '--method', 'tools/list', '--calls', '20')).toMatchObject({ code: 0, call: 'tools/list', calls: 20 })
    expect(await bench(LOAD, 'add', 'a=1', 'b=2', '--calls', '20')).toMatchObject({ code: 0, calls: 20 })
    expect(await bench('greet', 'name=Ada', '--calls', '20', '--', process.execPath, STDIO)).toMatchObject({ code: 0, calls: 20 })
  })

  test('counts failures by kind', { timeout: LONG_MS }, async () => {
    const url = await serveModule(LOAD)
    const result = await bench(url, 'third', '--calls', '99', '--connections', '3')
    expect(result).toMatchObject({ code: 1, calls: 99, errors: { 'tool error': expect.any(Number) } })
    expect(Math.abs(result.errors['tool error'] - 33)).toBeLessThanOrEqual(3)
  })

  test('a call that does not work, and wrong options, are reported before anything is measured', {
    timeout: LONG_MS,
  }, async () => {
    const url = await serveModule(LOAD)
    expect(await bench(url, 'add', 'a=x', 'b=1')).toMatchObject({ code: 2, err: expect.stringContaining('expected number') })
    expect(await bench(url)).toMatchObject({ code: 2, err: expect.stringContaining('--method') })
    for (const option of ['--connections', '--duration', '--rate', '--calls'])
      expect(await bench(url, 'add', option, '-1')).toMatchObject({ code: 2, err: expect.stringContaining(option) })
  })

  test('a server that ends is a failure, not a hang', { timeout: LONG_MS }, async () => {
    const child = start(['serve', LOAD, '--port', '0'])
    const [, url = ''] = await untilOutput(child.stdout, /Listening at (\S+)/)
    const measuring = bench(url, 'wait', 'ms=50', '--duration', '5')
    // The first call is a test, the next ones warm up.
    await untilOutput(child.stderr, /(waiting\n){20}/)
    child.kill('SIGKILL')
    const { code, errors } = await measuring
    expect(code).toBe(1)
    expect(Object.keys(errors)).toContain('ECONNREFUSED')
  })

  test('Ctrl-C ends the measurement and prints what was measured', { timeout: LONG_MS }, async () => {
    const url = await serveModule(LOAD)
    const child = start(['bench', url, 'wait', 'ms=10', '--duration', '600', '--warm-up', '0'])
    const end = untilExit(child)
    const client = await connect(url)
    await untilCalled(client, 50)
    await client.close()
    child.kill('SIGINT')
    expect(await end).toMatchObject({ code: 130, out: expect.stringMatching(/calls {4}[\d,]+ in/) })
  })

  test('with a rate, latency counts from the time at which a call was due', { timeout: LONG_MS }, async () => {
    const url = await serveModule(LOAD)
    const measuring = bench(url, 'wait', 'ms=1', '--connections', '2', '--rate', '100', '--duration', '3', '--warm-up', '0')
    const client = await connect(url)
    await untilCalled(client, 50)
    await client.callTool('pause', { ms: 1000 })
    await client.close()
    const { calls, unsent, latencyMs, loop, perSecond, seconds } = await measuring
    expect({ loop, perSecond }).toEqual({ loop: 'open', perSecond: 100 })
    // All calls that were due during the pause were late, although only two connections waited for a response.
    expect(seconds).toBeGreaterThan(2.9)
    expect(calls + unsent).toBeGreaterThanOrEqual(100 * seconds - 5)
    expect(calls + unsent).toBeLessThanOrEqual(100 * seconds + 1)
    expect(latencyMs.p90).toBeGreaterThan(500)
  })

  test('agrees with autocannon on the same request', { timeout: 2 * LONG_MS }, async () => {
    const url = await serveModule(LOAD)
    // A busy machine adds milliseconds to a call, and not as many in both programs.
    const call = ['wait', 'ms=100']
    const { headers, body } = await recordRequest(url, call)
    const fields = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}=${value}`])
    const warmUp = ['-W', '[', '-c', '10', '-d', '1', ']']
    const cannon = ['-j', '-n', '-c', '10', '-d', '6', ...warmUp, '-m', 'POST', ...fields, '-b', body, url]
    const ratios = { rate: [] as number[], latency: [] as number[] }
    for (let round = 0; round < 5; round++) {
      // Both at once, so that a busy machine slows both. What a call takes is the time of the tool, which they share.
      const [ours, { out }] = await Promise.all([
        bench(url, ...call, '--connections', '10', '--duration', '6', '--warm-up', '1'),
        untilExit(spawn(process.execPath, [AUTOCANNON, ...cannon])),
      ])
      const theirs = JSON.parse(out.split('\n').findLast((line) => line.startsWith('{')) ?? '')
      const callsPerSecond = theirs.requests.total / theirs.duration
      console.error(
        `portcall bench ${ours.callsPerSecond}/s, autocannon ${callsPerSecond.toFixed(1)}/s, p50 ${ours.latencyMs.p50} and ${theirs.latency.p50} ms`,
      )
      expect([ours.errors, theirs.non2xx, theirs.errors]).toEqual([{}, 0, 0])
      ratios.rate.push(ours.callsPerSecond / callsPerSecond)
      // autocannon reports whole milliseconds.
      ratios.latency.push(Math.floor(ours.latencyMs.p50) / theirs.latency.p50)
    }
    for (const [name, values] of Object.entries(ratios)) {
      const median = values.sort((a, b) => a - b)[2] ?? 0
      expect(median, name).toBeGreaterThan(0.95)
      expect(median, name).toBeLessThan(1.05)
    }
  })
})

/** Returns the request that `portcall bench` sends. */
async function recordRequest(url: string, call: readonly string[]): Promise<{ headers: Record<string, string>; body: string }> {
  const bodies: string[] = []
  const heads: any[] = []
  const proxy = createServer(async (incoming, outgoing) => {
    let body = ''
    for await (const chunk of incoming) body += chunk
    const { host, connection, 'content-length': length, ...headers } = incoming.headers
    if (body.includes('"wait"')) {
      bodies.push(body)
      heads.push(headers)
    }
    const response = await fetch(url, { method: incoming.method ?? 'POST', headers: headers as any, body })
    outgoing.writeHead(response.status, { 'content-type': response.headers.get('content-type') ?? '' }).end(await response.text())
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  onTestFinished(() => void proxy.close())
  const { port } = proxy.address() as AddressInfo
  await bench(`http://127.0.0.1:${port}/mcp`, ...call, '--calls', '1', '--warm-up', '0', '--connections', '1')
  return { headers: heads.at(-1), body: bodies.at(-1) ?? '' }
}
