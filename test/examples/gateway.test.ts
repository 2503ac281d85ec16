import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateKey } from 'portcall'
import { connect } from 'portcall/client'
import { authorizationServer } from 'portcall/testing'
import { expect, onTestFinished, test } from 'vitest'
import { gateway } from '../../examples/gateway-caller-identity.ts'
import { startProtectedUpstream } from '../gateway/support/protected-upstream.ts'
import { startServer } from '../support/example.ts'

test('gateway-user-accounts', async () => {
  const login = await authorizationServer()
  const upstream = await startProtectedUpstream()
  const folder = await mkdtemp(join(tmpdir(), 'portcall-gateway-'))
  onTestFinished(async () => {
    await login.close()
    await rm(folder, { recursive: true })
  })
  const ORIGIN = 'https://gateway.example.com'
  const env = {
    ORIGIN,
    ISSUER: login.issuer,
    NOTES: upstream.url,
    SEALING_KEY: generateKey(),
    DATABASE: join(folder, 'gateway.db'),
  }
  const url = await startServer('gateway-user-accounts', { env })
  const token = await login.issue({ subject: 'ann', resources: [`${ORIGIN}/mcp`] })
  const client = await connect(url, { headers: { authorization: `Bearer ${token}` } })
  onTestFinished(() => client.close())
  const { isError, content } = await client.callTool('notes__whoami', {})
  expect(isError).toBe(true)
  const [, link = ''] = /https:\/\/gateway\.example\.com(\/connect\/\S+)/.exec(JSON.stringify(content)) ?? []
  const open = async (user: string): Promise<number> =>
    (await fetch(new URL(link, url), { headers: { 'x-forwarded-user': user } })).status
  expect([await open('ann'), await open('eve')]).toEqual([200, 403])
})

test('gateway-caller-identity', async () => {
  onTestFinished(() => gateway.close())
  expect(Object.keys(gateway.status().servers)).toEqual(['crm', 'wiki', 'reports', 'files'])
})
