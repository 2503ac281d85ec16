/** The examples of docs/servers/middleware.md, and examples that watch or serve a folder. */
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from 'portcall/client'
import { verifyAuditLog } from 'portcall/middleware'
import { assertRpcError, assertText, collectChanges, connectPair } from 'portcall/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { server as auth } from '../../examples/middleware-auth.ts'
import { server as cache } from '../../examples/middleware-cache.ts'
import { server as timing } from '../../examples/middleware-timing.ts'
import { server as visible } from '../../examples/visible.ts'
import { startServer } from '../support/example.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

test('middleware-timing', async () => {
  const lines = vi.spyOn(console, 'error').mockImplementation(() => {})
  onTestFinished(() => lines.mockRestore())
  const client = await connectPair(timing)
  assertText(await client.callTool('ping'), 'pong')
  await client.close()
  expect(lines.mock.calls.at(-1)).toEqual([expect.stringMatching(/^tools\/call ping ok \d+ ms$/)])
})

test('middleware-limits', async () => {
  const folder = temporaryFolder()
  const AUDIT_LOG = join(folder, 'audit.jsonl')
  const client = await connect(await startServer('middleware-limits', { env: { AUDIT_LOG } }))
  onTestFinished(() => client.close())
  assertText(await client.callTool('report', { lines: 1 }), 'A line of the report.\n')
  expect((await client.callTool('report', { lines: 10_000 })).isError).toBe(true)
  const lines = readFileSync(AUDIT_LOG, 'utf8').trimEnd().split('\n')
  expect(await verifyAuditLog(lines)).toMatchObject({ intact: true, records: 2 })
})

test('middleware-auth', async () => {
  const connectAs = async (...scopes: string[]) => {
    const serve = { authenticate: () => ({ principal: 'ada', scopes }) }
    const client = await connectPair(auth, { transport: 'http', serve })
    onTestFinished(() => client.close())
    return client
  }
  const user = await connectAs()
  assertText(await user.callTool('status'), 'Up')
  await assertRpcError(user.callTool('admin_restart'), -32600)
  assertText(await (await connectAs('admin')).callTool('admin_restart'), 'Restarted')
})

test('middleware-cache', async () => {
  const client = await connectPair(cache)
  onTestFinished(() => client.close())
  for (let call = 0; call < 2; call++) assertText(await client.callTool('average', { numbers: [1, 2] }), '1.5, computed 1 times')
  assertText(await client.callTool('average', { numbers: [2] }), '2, computed 2 times')
})

test('visible, with authentication', async () => {
  const connectAs = async (...scopes: string[]) => {
    const serve = { authenticate: () => ({ principal: 'ada', scopes }) }
    const client = await connectPair(visible, { transport: 'http', serve })
    onTestFinished(() => client.close())
    return client
  }
  const names = async (client: Awaited<ReturnType<typeof connectAs>>) => (await client.tools().toArray()).map(({ name }) => name)
  const user = await connectAs()
  expect(await names(user)).toEqual(['export'])
  await expect(user.callTool('export')).rejects.toThrow()
  const admin = await connectAs('admin', 'accounts:read')
  expect(await names(admin)).toEqual(['export', 'purge'])
  assertText(await admin.callTool('export'), 'id,name')
  assertText(await admin.callTool('purge'), 'Deleted')
})

test('resource-files and watch-folder', async () => {
  const folder = temporaryFolder()
  vi.stubEnv('FOLDER', folder)
  onTestFinished(() => void vi.unstubAllEnvs())
  writeFileSync(join(folder, 'a.md'), '# A')
  writeFileSync(join(folder, 'secret.key'), 'secret')
  symlinkSync('/etc/hostname', join(folder, 'outside.md'))

  const { server: files } = await import('../../examples/resource-files.ts')
  const client = await connectPair(files)
  onTestFinished(() => client.close())
  expect((await client.resources().toArray()).map(({ uri }) => uri)).toEqual(['files:///a.md'])
  expect((await client.readResource('files:///a.md')).contents).toMatchObject([{ mimeType: 'text/markdown', text: '# A' }])
  for (const name of ['b.md', 'secret.key', 'outside.md', '..%2Fa.md'])
    await assertRpcError(client.readResource(`files:///${name}`), -32602)

  const { server: watched } = await import('../../examples/watch-folder.ts')
  const watcher = await connectPair(watched)
  onTestFinished(() => watcher.close())
  const changes = watcher.listen({ resourceSubscriptions: ['notes://a.md'] })
  await changes.acknowledged
  writeFileSync(join(folder, 'a.md'), '# B')
  expect(await collectChanges(changes, 1)).toEqual([{ type: 'resource', uri: 'notes://a.md' }])
  expect((await watcher.readResource('notes://a.md')).contents).toMatchObject([{ text: '# B' }])
})
