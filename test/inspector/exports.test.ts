/** The exports of the inspector in real use: a HAR file is validated, and each copied request is sent and gives the result of the inspector. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { expect, onTestFinished, test } from 'vitest'
import type { OperationRequest } from '../../packages/inspector/server/protocol/operations.ts'
import type { ConnectionSettings, InspectorTarget } from '../../packages/inspector/server/protocol/servers.ts'
import type { CopyFormat } from '../../packages/inspector/server/protocol/sharing.ts'
import { createMemoServer } from './fixtures/memo-server.mjs'
import { serveFixture } from './support/fixture-server.ts'
import { startInspector } from './support/inspector.ts'
import { closedPort } from './support/raw-server.ts'

const ROOT = join(import.meta.dirname, '../..')
const COMMAND = join(ROOT, 'packages/portcall/dist/cli/main.js')
const PROGRAM = fileURLToPath(new URL('./fixtures/memo-server.mjs', import.meta.url))

/** The schemas of HAR 1.2 as they are published. */
function createHarValidator() {
  const schemas = createRequire(import.meta.url)('har-schema') as Record<string, { $id: string; $schema?: string }>
  const ajv = new Ajv({ strict: false, allErrors: true })
  ;(addFormats as unknown as (target: Ajv) => void)(ajv)
  for (const { $schema: _draft, ...schema } of Object.values(schemas)) ajv.addSchema(schema)
  const validate = ajv.getSchema('har.json#')
  if (!validate) throw new Error('there is no schema of HAR')
  return (har: unknown): unknown => (validate(har) ? [] : validate.errors)
}

test('a HAR file of both eras, of event streams and of an exchange that failed is valid', async () => {
  const inspector = await startInspector()
  const url = await serveFixture(createMemoServer())
  const settings: ConnectionSettings[] = [{}, { revision: '2025-06-18' }, { revision: '2024-11-05', era: 'http+sse' }]
  for (const setting of settings) {
    const { id } = await inspector.connect({ kind: 'url', url }, setting)
    const count = await inspector.operate(id, { type: 'call-tool', name: 'count', arguments: {} })
    expect(count.status).toBe('done')
  }
  await inspector.connect({ kind: 'url', url: `http://127.0.0.1:${await closedPort()}/mcp` })
  const har = JSON.parse((await inspector.command('export', { format: 'har' })).text) as {
    log: { entries: { request: { method: string }; response: { status: number } }[] }
  }
  const validate = createHarValidator()
  expect(validate(har)).toEqual([])
  expect(new Set(har.log.entries.map(({ request, response }) => `${request.method} ${response.status}`))).toEqual(
    new Set(['POST 200', 'POST 202', 'GET 200', 'POST 0']),
  )
  expect(validate({ log: { ...har.log, entries: [{}] } })).not.toEqual([])
})

const PINNED: readonly (readonly [string, () => Promise<InspectorTarget>, string])[] = [
  ['streamable-http', async () => ({ kind: 'url', url: await serveFixture(createMemoServer()) }), '2026-07-28'],
  ['streamable-http', async () => ({ kind: 'url', url: await serveFixture(createMemoServer()) }), '2025-06-18'],
  ['stdio', async () => ({ kind: 'program', command: process.execPath, args: [PROGRAM] }), '2025-11-25'],
]

const REQUESTS: readonly OperationRequest[] = [
  { type: 'call-tool', name: 'add', arguments: { a: 40, b: 2 } },
  { type: 'read-resource', uri: 'memo://it%27s%20$HOME' },
  { type: 'get-prompt', name: 'review', arguments: { code: "it's `x` & $HOME" } },
  { type: 'request', method: 'tools/call', params: { name: 'add', arguments: { a: 1, b: 2 } }, untranslated: true },
]

test.each(PINNED)('each copied request over %s gives the same result (%#)', async (transport, start, revision) => {
  const inspector = await startInspector()
  const { id, status } = await inspector.connect(await start(), { revision })
  expect(status).toBe('connected')
  await expect.poll(() => isListed(inspector, id)).toBe(true)
  const formats: readonly CopyFormat[] = ['portcall', 'typescript', 'test', ...(transport === 'stdio' ? [] : ['curl' as const])]
  for (const request of REQUESTS) {
    const { result } = await inspector.operate(id, request)
    const { resultType: _type, ttlMs: _ttl, cacheScope: _scope, _meta, ...expected } = result ?? {}
    expect(expected).not.toEqual({})
    const outcomes = formats.map(async (format) => {
      const { text } = await inspector.command('copy-as', { format, source: { serverId: id, request } })
      return [format, await USES[format]?.(text)] as const
    })
    for (const [format, outcome] of await Promise.all(outcomes)) {
      if (format === 'test') expect(outcome, format).toMatch(/pass 1/)
      else expect(outcome, format).toMatchObject(expected)
    }
  }
})

async function isListed(inspector: Awaited<ReturnType<typeof startInspector>>, id: string): Promise<boolean> {
  const { inventories } = await inspector.command('get-state', {})
  return inventories.some(({ serverId, kind, status }) => serverId === id && kind === 'tools' && status === 'ready')
}

/** How each text is used, and what comes out. */
const USES: { readonly [Format in CopyFormat]?: (text: string) => Promise<unknown> } = {
  async curl(text) {
    const output = await run('sh', ['-c', text.replaceAll(/^curl/gm, 'curl -s')])
    const last =
      output
        .trim()
        .split('\n')
        .findLast((line) => line.includes('"jsonrpc"')) ?? ''
    return (JSON.parse(last.replace(/^data: /, '')) as { result?: unknown }).result
  },
  async portcall(text) {
    const command = text.replace(/^portcall (\w+)/, `${process.execPath} ${COMMAND} $1 --json`)
    return JSON.parse(await run('sh', ['-c', command]))
  },
  typescript: async (text) => JSON.parse(await run(process.execPath, [programOf(text)])),
  test: (text) => run(process.execPath, ['--test-reporter=tap', programOf(text)]),
}

async function run(file: string, args: readonly string[]): Promise<string> {
  return (await promisify(execFile)(file, args, { cwd: ROOT, encoding: 'utf8' })).stdout
}

/** Writes a program into a folder that finds the package. */
function programOf(text: string): string {
  const folder = mkdtempSync(join(ROOT, 'node_modules', '.portcall-copy-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'copied.test.mjs')
  writeFileSync(path, text)
  return path
}
