/** URLs that a server wants to be opened in the user's browser. */
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { authorizationCode, browserSignIn, deviceCode } from 'portcall/auth/client'
import { connect } from 'portcall/client'
import { describe, expect, onTestFinished, test } from 'vitest'
import { call, failureOf, open } from '../client/support/connection.ts'
import { until } from '../support/time.ts'
import { failToConnect } from './support/fail-to-connect.ts'
import { testProtectedServer } from './support/protected-server.ts'

/** By the id of their case. */
const ADDRESSES: ReadonlyArray<readonly [id: string, url: string]> = [
  ['C57a', 'javascript:alert(1)//'],
  ['C57a', 'JAVASCRIPT://127.0.0.1/%0aalert(1)'],
  ['C57a', ' javascript:alert(1)'],
  ['C57a', 'java\tscript:alert(1)'],
  ['C57b', 'file:///etc/passwd'],
  ['C57b', 'file://127.0.0.1/share/program.exe'],
  ['C57b', 'smb://127.0.0.1/share'],
  ['C57c', 'data:text/html,<script>alert(1)</script>'],
  ['C57d', 'vbscript:x'],
  ['C57e', 'http://evil.example/authorize'],
  ['C57e', 'ftp://evil.example/authorize'],
  ['C57f', 'https://a.example/$(calc)`;&/'],
  ['C57f', "https://a.example/';calc;'"],
  ['C57f', 'https://a.example/?x=|calc'],
  ['C57f', 'https://a.example/?x=${IFS}calc'],
  ['C57f', 'https://user:$(calc)@a.example/'],
  ['C57g', 'ms-settings:x'],
  ['C57g', 'ms-officecmd:{"id":3}'],
  ['C57g', 'search-ms:query=x&crumb=location:\\\\evil.example'],
  ['C57g', 'tel:1'],
  ['C57g', '--help'],
  ['C57g', '-a Calculator'],
  ['C57g', ''],
]

describe.each(ADDRESSES)('%s: %s', (_id, url) => {
  test('is never opened as the authorization endpoint', async () => {
    const { error, user, network, server } = await failToConnect({
      before: ({ login }) => login.setFaults({ metadata: { authorization_endpoint: url } }),
    })
    expect(error).toMatchObject({ code: 'AUTH_FAILED' })
    expect(user.opened).toEqual([])
    expect(network.connections).toEqual([])
    expect(server.login.requestsTo('token')).toEqual([])
  })

  test('is never shown as a verification URI', async () => {
    const server = await testProtectedServer()
    const shown: unknown[] = []
    server.login.setFaults({
      responses: {
        device: {
          body: {
            device_code: 'd',
            user_code: 'u',
            verification_uri: url,
            verification_uri_complete: url,
            expires_in: 60,
            interval: 1,
          },
        },
      },
    })
    const auth = deviceCode({ prompt: (code) => void shown.push(code) })
    expect(await failureOf(connect(server.url, { auth }))).toMatchObject({ code: 'AUTH_FAILED' })
    expect(shown).toEqual([])
  })
})

test('C57f: quotes in a URL are escaped when it is opened', async () => {
  const opened: string[] = []
  const { error } = await failToConnect({
    before: ({ login }) => login.setFaults({ metadata: { authorization_endpoint: 'https://a.example/"&calc&"' } }),
    user: { timeoutMs: 200, open: (url) => void opened.push(url.href) },
  })
  expect(error).toMatchObject({ reason: 'timed_out' })
  expect(opened).toEqual([expect.stringMatching(/^https:\/\/a\.example\/%22&calc&%22\?[^"'`]+$/)])
})

test('C57a: a custom user interface does not receive such a URL either', async () => {
  const server = await testProtectedServer()
  server.login.setFaults({ metadata: { authorization_endpoint: 'javascript:alert(1)' } })
  const shown: URL[] = []
  const authorize = async (url: URL): Promise<URL> => {
    shown.push(url)
    return url
  }
  const auth = authorizationCode({ redirectUri: 'http://127.0.0.1:9/callback', authorize })
  expect(await failureOf(connect(server.url, { auth }))).toMatchObject({ reason: 'address_refused' })
  expect(shown).toEqual([])
})

describe.skipIf(process.platform === 'win32' || process.platform === 'darwin')('C57f: the default browser', () => {
  /** Replaces the browser with a program that records its arguments. */
  function fakeBrowser(): { readonly started: () => string[]; readonly folder: string } {
    const folder = mkdtempSync(join(tmpdir(), 'portcall-browser-'))
    const log = join(folder, 'log')
    const script = `#!${process.execPath}\nrequire('fs').appendFileSync(${JSON.stringify(log)}, JSON.stringify(process.argv.slice(2)) + '\\n')\n`
    writeFileSync(join(folder, 'xdg-open'), script)
    chmodSync(join(folder, 'xdg-open'), 0o755)
    const { PATH = '' } = process.env
    process.env.PATH = folder + delimiter + PATH
    onTestFinished(() => {
      process.env.PATH = PATH
      rmSync(folder, { recursive: true, force: true, maxRetries: 20 })
    })
    return { folder, started: () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []) }
  }

  test('gets the URL as one argument, whatever scopes and resources contain', async () => {
    const { started, folder } = fakeBrowser()
    const canary = join(folder, 'canary')
    const server = await testProtectedServer({
      challenge: ({ origin, pathname }) =>
        `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource${pathname}", scope="$(touch ${canary}) \`touch ${canary}\` ;touch ${canary} & | -x"`,
    })
    const auth = browserSignIn({ timeoutMs: 800 })
    expect(await failureOf(connect(server.url, { auth }))).toMatchObject({ code: 'AUTH_FAILED' })
    await until(() => started().length > 0, 'the browser')
    const args = JSON.parse(started()[0]!) as string[]
    expect(args).toHaveLength(1)
    expect(args[0]).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/authorize\?[\w.~%&=+*()!'-]+$/)
    expect(args[0]).not.toMatch(/[\s"$;<>\\^`{|}]/)
    expect(existsSync(canary)).toBe(false)
  })

  test('is not started for a refused URL', async () => {
    const { started } = fakeBrowser()
    const server = await testProtectedServer()
    server.login.setFaults({ metadata: { authorization_endpoint: 'file:///etc/passwd' } })
    expect(await failureOf(connect(server.url, { auth: browserSignIn() }))).toMatchObject({ reason: 'address_refused' })
    expect(started()).toEqual([])
  })

  test('signs in with a valid URL', async () => {
    const fake = fakeBrowser()
    const server = await testProtectedServer()
    const visit = async (): Promise<void> => {
      await until(() => fake.started().length > 0, 'the browser')
      const [url = ''] = JSON.parse(fake.started()[0]!) as string[]
      await fetch(url).then((page) => page.text())
    }
    const visited = visit()
    const { client } = await open(server.url, { auth: browserSignIn() })
    expect(await call(client)).toBe('fine')
    await visited
  })
})
