/** Addresses that are to be opened for the user, and what could be hidden in them. */
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { browser, device, interactive } from 'portcall/auth/client'
import { connect } from 'portcall/client'
import { describe, expect, onTestFinished, test } from 'vitest'
import { call, failureOf, open } from '../client/support/connection.ts'
import { until } from '../support/time.ts'
import { failToConnect } from './support/attempt.ts'
import { testProtected } from './support/protected.ts'

/** By the letter of their case. */
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
  test('is never opened as the place to sign in', async () => {
    const { error, user, network, server } = await failToConnect({
      before: ({ login }) => login.set({ metadata: { authorization_endpoint: url } }),
    })
    expect(error).toMatchObject({ code: 'AUTH_FAILED' })
    expect(user.opened).toEqual([])
    expect(network.dialled).toEqual([])
    expect(server.login.asked('token')).toEqual([])
  })

  test('is never shown to the user of a device', async () => {
    const server = await testProtected()
    const shown: unknown[] = []
    server.login.set({
      answers: {
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
    const auth = device({ prompt: (code) => void shown.push(code) })
    expect(await failureOf(connect(server.url, { auth }))).toMatchObject({ code: 'AUTH_FAILED' })
    expect(shown).toEqual([])
  })
})

test('C57f: quotes in an address are no quotes any more when it is opened', async () => {
  const opened: string[] = []
  const { error } = await failToConnect({
    before: ({ login }) => login.set({ metadata: { authorization_endpoint: 'https://a.example/"&calc&"' } }),
    user: { timeoutMs: 200, open: (url) => void opened.push(url.href) },
  })
  expect(error).toMatchObject({ fault: 'timed_out' })
  expect(opened).toEqual([expect.stringMatching(/^https:\/\/a\.example\/%22&calc&%22\?[^"'`]+$/)])
})

test('C57a: a host with a user interface of its own is not given such an address either', async () => {
  const server = await testProtected()
  server.login.set({ metadata: { authorization_endpoint: 'javascript:alert(1)' } })
  const shown: URL[] = []
  const authorize = async (url: URL): Promise<URL> => {
    shown.push(url)
    return url
  }
  const auth = interactive({ redirectUri: 'http://127.0.0.1:9/callback', authorize })
  expect(await failureOf(connect(server.url, { auth }))).toMatchObject({ fault: 'address_refused' })
  expect(shown).toEqual([])
})

describe.skipIf(process.platform === 'win32' || process.platform === 'darwin')('C57f: the browser of the system', () => {
  /** Puts a program in the place of the browser, which writes down how it was started. */
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
      rmSync(folder, { recursive: true, force: true })
    })
    return { folder, started: () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []) }
  }

  test('gets one argument, which begins with its scheme, whatever scopes and resources hold', async () => {
    const { started, folder } = fakeBrowser()
    const canary = join(folder, 'canary')
    const server = await testProtected({
      challenge: ({ origin, pathname }) =>
        `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource${pathname}", scope="$(touch ${canary}) \`touch ${canary}\` ;touch ${canary} & | -x"`,
    })
    const auth = browser({ timeoutMs: 800 })
    expect(await failureOf(connect(server.url, { auth }))).toMatchObject({ code: 'AUTH_FAILED' })
    await until(() => started().length > 0, 'the browser')
    const args = JSON.parse(started()[0]!) as string[]
    expect(args).toHaveLength(1)
    expect(args[0]).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/authorize\?[\w.~%&=+*()!'-]+$/)
    expect(args[0]).not.toMatch(/[\s"$;<>\\^`{|}]/)
    expect(existsSync(canary)).toBe(false)
  })

  test('is not started for an address that it must not open', async () => {
    const { started } = fakeBrowser()
    const server = await testProtected()
    server.login.set({ metadata: { authorization_endpoint: 'file:///etc/passwd' } })
    expect(await failureOf(connect(server.url, { auth: browser() }))).toMatchObject({ fault: 'address_refused' })
    expect(started()).toEqual([])
  })

  test('signs in where all is well', async () => {
    const folder = fakeBrowser()
    const server = await testProtected()
    const visit = async (): Promise<void> => {
      await until(() => folder.started().length > 0, 'the browser')
      const [url = ''] = JSON.parse(folder.started()[0]!) as string[]
      await fetch(url).then((page) => page.text())
    }
    const visited = visit()
    const { client } = await open(server.url, { auth: browser() })
    expect(await call(client)).toBe('fine')
    await visited
  })
})
