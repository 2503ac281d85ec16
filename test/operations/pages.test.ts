/** The programs of docs/deployment/observability.md and docs/servers/middleware.md. */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { connect } from 'portcall/client'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { freePort } from '../support/free-port.mjs'
import { startReceiver } from './support/otlp.ts'
import { startProgram } from './support/program.ts'

const page = (name: string): string => fileURLToPath(new URL(`pages/${name}.mjs`, import.meta.url))

async function call(port: number): Promise<void> {
  const client = await connect(`http://127.0.0.1:${port}/mcp`)
  onTestFinished(() => client.close())
  await client.callTool('price')
}

test('a call with an idempotency key runs once', () => {
  expect(execFileSync(process.execPath, [page('payments')], { encoding: 'utf8' })).toBe('Payment 1 Payment 1\n')
})

test('the server with pino and Prometheus', async () => {
  const port = await freePort()
  await startProgram({ command: [process.execPath, page('observed')], port, env: { PORT: String(port) } })
  await call(port)
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  expect(text).toMatch(/_count\{.*gen_ai_tool_name="price".*\} 1/)
})

test('the server with OpenTelemetry sends its spans to a collector', async () => {
  const receiver = await startReceiver()
  onTestFinished(() => receiver.close())
  const port = await freePort()
  const env = { PORT: String(port), OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_BSP_SCHEDULE_DELAY: '100' }
  await startProgram({ command: [process.execPath, page('traced')], port, env })
  await call(port)
  await eventually(() => expect(receiver.spans.map(({ name }) => name)).toContain('tools/call price'))
})
