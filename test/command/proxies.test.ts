import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer } from 'portcall'
import { nodeHandler } from 'portcall/node'
import { expect, onTestFinished, test } from 'vitest'
import { CERTIFICATE } from '../../packages/portcall/test-kit/certificate.ts'
import { startConnectProxy } from '../../packages/portcall/test-kit/connect-proxy.ts'
import { portcall } from './support/portcall.ts'

/** A server that only the proxy can reach, and the variables of a network that inspects TLS. */
async function setUp(): Promise<{ url: string; env: Record<string, string>; targets: () => string[] }> {
  const server = createServer({ name: 'inside', version: '1.0.0' })
  server.tool('greet', { description: 'Greet' }, () => 'hello from inside')
  const https = createTlsServer(CERTIFICATE, nodeHandler(server, { allowedHosts: ['mcp.test'] }))
  await once(https.listen(0, '127.0.0.1'), 'listening')
  const proxy = await startConnectProxy({ authorization: `Basic ${Buffer.from('user:s3cret').toString('base64')}` })
  const folder = await mkdtemp(join(tmpdir(), 'portcall-'))
  const authority = join(folder, 'authority.pem')
  await writeFile(authority, CERTIFICATE.cert)
  onTestFinished(async () => {
    https.closeAllConnections()
    https.close()
    proxy.close()
    await server.close()
    await rm(folder, { recursive: true })
  })
  const { port } = https.address() as AddressInfo
  return {
    url: `https://mcp.test:${port}/mcp`,
    env: { HTTPS_PROXY: proxy.url.replace('://', '://user:s3cret@'), NODE_EXTRA_CA_CERTS: authority, NO_PROXY: '' },
    targets: () => proxy.requests.map(({ target }) => target),
  }
}

test('the command uses the proxy of the environment, and checks the certificate of the server', async () => {
  const { url, env, targets } = await setUp()
  const called = await portcall(['call', url, 'greet'], { env })
  expect(called).toMatchObject({ code: 0, out: 'hello from inside\n' })
  expect(new Set(targets())).toEqual(new Set([new URL(url).host]))

  const untrusted = await portcall(['list', url], { env: { ...env, NODE_EXTRA_CA_CERTS: '' } })
  expect(untrusted).toMatchObject({ code: 4, err: expect.stringContaining('certificate is self-signed') })
})

test('the doctor goes through the proxy, and leaves out what only the proxy can do', async () => {
  const { url, env } = await setUp()
  const { code, out } = await portcall(['doctor', url], { env })
  expect({ code, out }).toEqual({
    code: 0,
    out: expect.stringMatching(/- DNS +the proxy .* resolves the name\n- TCP connection .*\n- TLS/),
  })
  expect(out).not.toContain('s3cret')
})

test('NO_PROXY and NODE_USE_ENV_PROXY=0 turn the proxy off, and the error names it', async () => {
  const { url, env, targets } = await setUp()
  const exempt = await portcall(['list', url], { env: { ...env, NO_PROXY: '.test' } })
  expect(exempt).toMatchObject({ code: 4, err: expect.stringMatching(/ENOTFOUND|EAI_AGAIN/) })
  const off = await portcall(['list', url], { env: { ...env, NODE_USE_ENV_PROXY: '0' } })
  expect(off).toMatchObject({ code: 4, err: expect.stringContaining('HTTPS_PROXY is set, but was not used') })
  expect(targets()).toEqual([])
})

test.each([
  ['https_proxy', 'http://user:s3cret@127.0.0.1:9', /The proxy http:\/\/127\.0\.0\.1:9 could not be reached \(ECONNREFUSED\)/],
  ['all_proxy', 'socks5://user:s3cret@127.0.0.1:9', /all_proxy names a proxy that uses socks5/],
  ['https_proxy', 'http://user:s3cret@:9', /https_proxy is not the URL of a proxy/],
])('%s that cannot be used: the error says why, without the password', async (name, value, message) => {
  const { code, err } = await portcall(['list', 'https://mcp.test/mcp', '--verbose'], { env: { [name]: value } })
  expect({ code, err }).toEqual({ code: 4, err: expect.stringMatching(message) })
  expect(err).not.toContain('s3cret')
})
