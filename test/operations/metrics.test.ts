import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createServer, ToolError } from 'portcall'
import { connect } from 'portcall/client'
import { serveAdmin } from 'portcall/gateway/admin'
import { metrics } from 'portcall/metrics'
import { concurrencyLimit, rateLimit } from 'portcall/middleware'
import { serve } from 'portcall/node'
import { memoryStores } from 'portcall/stores'
import { tasks } from 'portcall/tasks'
import { tasks as clientTasks } from 'portcall/tasks/client'
import { sizeTelemetry } from 'portcall/telemetry'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { freePort } from '../support/free-port.mjs'
import { startReceiver, startSdk } from './support/otlp.ts'

const DEPLOY = fileURLToPath(new URL('../../deploy/', import.meta.url))
const PROMETHEUS = '/usr/bin/prometheus'
const hasPrometheus = existsSync(PROMETHEUS)

/** A server that shows its metrics, after a few requests of clients of both eras. */
async function startMeasured(options: Parameters<typeof metrics>[0] = {}) {
  const prometheus = metrics(options)
  const stores = prometheus.stores(memoryStores())
  const server = createServer(
    { name: 'measured', version: '1' },
    { stores, extensions: [tasks({ middleware: [prometheus.tasks.middleware] })] },
  )
  server.use(prometheus.middleware)
  server.tool('add', {}, () => 'ok')
  server.tool('fail', {}, () => {
    throw new ToolError('no')
  })
  server.tool('render', { task: 'required' }, () => 'rendered')
  const listening = await serve(server, { port: 0, metrics: prometheus, handleProcessSignals: false })
  onTestFinished(() => listening.close())
  return listening
}

async function callAll(url: string) {
  const modern = await connect(url, { extensions: [clientTasks()] })
  const legacy = await connect(url, { protocolVersion: '2025-11-25' })
  onTestFinished(async () => void (await Promise.all([modern.close(), legacy.close()])))
  for (const client of [modern, legacy]) {
    await client.callTool('add')
    await client.callTool('fail').catch(() => {})
    await client.callTool('made-up').catch(() => {})
  }
  await modern.callTool('render')
}

const page = (url: string, headers = {}) => fetch(new URL('/metrics', url), { headers })

test('protocol versions that do not exist become no labels', async () => {
  const prometheus = metrics()
  const context = { signal: new AbortController().signal, notify() {} }
  for (const version of ['2026-07-28', 'made-up-1', 'made-up-2']) {
    const params = { name: 'add', _meta: { 'io.modelcontextprotocol/protocolVersion': version } }
    await prometheus.middleware({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }, context, async ({ id }) => ({
      jsonrpc: '2.0',
      id,
      result: {},
    }))
  }
  const text = await prometheus.render()
  expect(text).toContain('mcp_protocol_version="2026-07-28"')
  expect(text).not.toContain('made-up')
})

test('names that a limit refuses before anyone knows whether they exist become no labels', async () => {
  const prometheus = metrics({ processMetrics: false })
  const server = createServer({ name: 'limited', version: '1' })
    .use(prometheus.middleware)
    .use(rateLimit({ limit: 1 }))
    .tool('add', {}, () => 'ok')
  await using client = await connect(server)
  for (const name of ['add', 'made-up-1', 'made-up-2']) await client.callTool(name)
  const text = await prometheus.render()
  expect(text).toContain('gen_ai_tool_name="add"')
  expect(text).toMatch(
    /_count\{mcp_method_name="tools\/call",gen_ai_tool_name="",gen_ai_prompt_name="",error_type="tool_error",.*\} 2$/m,
  )
  expect(text).not.toContain('made-up')
})

test('a page shows requests, errors by code, sessions, streams, tasks, stores and the process', async () => {
  const { url } = await startMeasured()
  await callAll(url)
  const response = await page(url)
  expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
  const text = await response.text()
  const count = (labels: RegExp): string | undefined =>
    text.match(new RegExp(`^mcp_server_operation_duration_seconds_count\\{${labels.source}\\} (\\d+)$`, 'm'))?.[1]
  expect(
    count(
      /mcp_method_name="tools\/call",gen_ai_tool_name="add",.*error_type="",rpc_response_status_code="",mcp_protocol_version="2026-07-28",.*"tcp"/,
    ),
  ).toBe('1')
  expect(count(/mcp_method_name="tools\/call",gen_ai_tool_name="add",.*mcp_protocol_version="2025-11-25",.*/)).toBe('1')
  expect(count(/mcp_method_name="tools\/call",gen_ai_tool_name="fail",.*error_type="tool_error",.*2026.*/)).toBe('1')
  expect(
    count(/mcp_method_name="tools\/call",gen_ai_tool_name="",.*error_type="",rpc_response_status_code="-32602",.*2026.*/),
  ).toBe('1')
  expect(text).not.toContain('made-up')
  expect(text).toMatch(/^portcall_sessions 1$/m)
  expect(text).toMatch(/^portcall_streams \d$/m)
  expect(text).toMatch(/^portcall_requests_in_progress \d$/m)
  expect(text).toMatch(/^portcall_task_run_duration_seconds_count\{gen_ai_tool_name="render",error_type=""\} 1$/m)
  expect(text).toMatch(/^portcall_store_operation_duration_seconds_count\{operation="store.compareAndSet",outcome="ok"\} [1-9]/m)
  expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds /m)
})

test('the sizes of queues are shown, with Prometheus and with OpenTelemetry', async () => {
  const receiver = await startReceiver()
  const sdk = startSdk(receiver.url)
  onTestFinished(async () => {
    await sdk.stop()
    receiver.close()
  })
  const server = createServer({ name: 'queued', version: '1' }, { extensions: [tasks({ runWorker: false })] })
  const limit = concurrencyLimit({ limit: 1, maxQueued: 10 })
  server.use(limit)
  let release = (): void => {}
  const released = new Promise<string>((resolve) => {
    release = () => resolve('done')
  })
  server.tool('slow', {}, () => released)
  server.tool('render', { task: 'required' }, () => 'rendered')
  const client = await connect(server, { extensions: [clientTasks()] })
  onTestFinished(() => client.close())
  const prometheus = metrics({ processMetrics: false })
  const sizes = sizeTelemetry()
  for (const { queue } of [prometheus, sizes]) {
    queue('calls', () => limit.waiting)
    queue('tasks', server.tasks.countQueued)
    queue('unknown', () => undefined)
    queue('broken', () => Promise.reject(new Error('no connection')))
  }
  const stop = prometheus.queue('removed', () => 1)
  stop()
  await serve(server, { port: 0, metrics: sizes, handleProcessSignals: false }).then((listening) =>
    onTestFinished(() => listening.close()),
  )

  for (let count = 0; count < 2; count++) await client.tasks.start('render')
  const calls = Array.from({ length: 4 }, () => client.callTool('slow'))
  await eventually(() => expect(limit.waiting).toBe(3))
  const queueLines = async () => (await prometheus.render()).match(/^portcall_queue_size.*$/gm)
  expect(await queueLines()).toEqual(['portcall_queue_size{queue="calls"} 3', 'portcall_queue_size{queue="tasks"} 2'])
  await sdk.flush()
  const named = (metric: string) => receiver.points.filter((point) => point.metric === metric)
  expect(named('portcall.queue.size').map(({ value, attributes }) => [attributes['portcall.queue.name'], value])).toEqual([
    ['calls', 3],
    ['tasks', 2],
  ])
  expect(named('portcall.stream.buffered')).toMatchObject([{ unit: 'By', value: 0 }])
  release()
  await Promise.all(calls)
  expect(await queueLines()).toContain('portcall_queue_size{queue="calls"} 0')
})

test('the duration of a session is measured when it ends', async () => {
  const { url } = await startMeasured()
  const client = await connect(url, { protocolVersion: '2025-11-25' })
  await client.callTool('add')
  expect(await (await page(url)).text()).not.toMatch(/^mcp_server_session_duration_seconds_count/m)
  await client.close()
  expect(await (await page(url)).text()).toMatch(
    /^mcp_server_session_duration_seconds_count\{mcp_protocol_version="2025-11-25",network_transport="tcp"\} 1$/m,
  )
})

test('with a token, others get 401', async () => {
  const { url } = await startMeasured({ token: 'scraper', processMetrics: false })
  expect((await page(url)).status).toBe(401)
  expect((await page(url, { authorization: 'Bearer wrong' })).status).toBe(401)
  expect((await page(url, { authorization: 'Bearer scraper' })).status).toBe(200)
})

test('the admin port of a gateway shows metrics', async () => {
  const nothing = async () => {}
  const actions = { status: () => ({}), reload: nothing, restart: nothing, enable: nothing, disable: nothing }
  const admin = await serveAdmin(actions, { token: 'x'.repeat(32), metrics: metrics({ processMetrics: false }) })
  onTestFinished(() => admin.close())
  expect(await (await page(`http://127.0.0.1:${admin.port}`)).text()).toContain('mcp_server_operation_duration_seconds')
})

test('stores measure failures', async () => {
  const prometheus = metrics({ processMetrics: false })
  const stores = memoryStores()
  const failing = { ...stores.store, get: (_key: string) => Promise.reject(new Error('down')) }
  const measured = prometheus.stores({ ...stores, store: failing })
  await expect(measured.store.get('a')).rejects.toThrow('down')
  expect(await prometheus.render()).toMatch(/_count\{operation="store.get",outcome="error"\} 1/)
})

/** Every metric that a query names. */
const namesIn = (text: string): string[] => [
  ...new Set(
    [...text.matchAll(/\b((?:mcp|portcall|nodejs|process)_\w+?)(?:_bucket|_count|_sum)?(?=\{)/g)].map(([, name]) => name!),
  ),
]

test('the dashboard and the alerts use only metrics that exist', async () => {
  const { url } = await startMeasured()
  await callAll(url)
  const text = await (await page(url)).text()
  const files = ['grafana/portcall.json', 'prometheus/alerts.yml'].map((name) => readFileSync(join(DEPLOY, name), 'utf8'))
  const dashboard = JSON.parse(files[0]!)
  const queries = dashboard.panels.flatMap(({ targets }: { targets: { expr: string }[] }) => targets.map(({ expr }) => expr))
  const names = namesIn([...queries, files[1]].join('\n'))
  expect(names.length).toBeGreaterThan(10)
  for (const name of names) expect(text, name).toContain(`# TYPE ${name} `)
  const boxes = dashboard.panels.map(({ gridPos }: { gridPos: { x: number; w: number } }) => gridPos.x + gridPos.w)
  expect(Math.max(...boxes)).toBe(24)
})

const promtool = (...args: string[]): string =>
  execFileSync('promtool', args, { cwd: join(DEPLOY, 'prometheus'), encoding: 'utf8' })

test.skipIf(!hasPrometheus)('promtool accepts the configuration and the rules, and the rules fire when they should', () => {
  expect(promtool('check', 'config', 'prometheus.yml')).toContain('SUCCESS')
  expect(promtool('check', 'rules', 'alerts.yml')).toContain('10 rules found')
  expect(promtool('test', 'rules', 'alerts.test.yml')).toContain('SUCCESS')
})

test.skipIf(!hasPrometheus)('Prometheus scrapes the page, loads the rules, and runs every query of the dashboard', async () => {
  const { url } = await startMeasured()
  await callAll(url)
  const folder = mkdtempSync(join(tmpdir(), 'portcall-prometheus-'))
  const config = readFileSync(join(DEPLOY, 'prometheus/prometheus.yml'), 'utf8')
  writeFileSync(
    join(folder, 'prometheus.yml'),
    config
      .replace('15s', '200ms')
      .replace('alerts.yml', join(DEPLOY, 'prometheus/alerts.yml'))
      .replace('127.0.0.1:3000', new URL(url).host),
  )
  const port = await freePort()
  const child: ChildProcess = spawn(
    PROMETHEUS,
    [`--config.file=${folder}/prometheus.yml`, `--storage.tsdb.path=${folder}/data`, `--web.listen-address=127.0.0.1:${port}`],
    { stdio: 'ignore' },
  )
  const exited = new Promise((resolve) => child.once('exit', resolve))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await exited
    rmSync(folder, { recursive: true, force: true })
  })
  const api = async (path: string) => (await fetch(`http://127.0.0.1:${port}/api/v1/${path}`)).json()
  const query = (expression: string) => api(`query?query=${encodeURIComponent(expression)}`)
  await eventually(async () => {
    const { data } = await query('up{job="portcall"}')
    expect(data.result[0]?.value[1]).toBe('1')
    const calls = await query('sum(mcp_server_operation_duration_seconds_count{gen_ai_tool_name="add"})')
    expect(calls.data.result[0]?.value[1]).toBe('2')
  })
  const { data } = await api('rules')
  expect(data.groups[0].rules).toHaveLength(10)
  const { panels } = JSON.parse(readFileSync(join(DEPLOY, 'grafana/portcall.json'), 'utf8'))
  for (const { expr } of panels.flatMap(({ targets }: { targets: { expr: string }[] }) => targets)) {
    const answer = await query(expr.replaceAll('$job', 'portcall').replaceAll('$__rate_interval', '1m'))
    expect(answer.status, expr).toBe('success')
  }
})
