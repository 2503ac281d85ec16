/** `portcall apps preview` and `portcall inspect` with the tokens of `portcall login`. */
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { createServer } from 'portcall'
import { view } from 'portcall/apps/server'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createHome, openPage, startBrowser, startInspectorIn } from './support/inspector.ts'
import { serveProtected } from './support/protected-server.ts'

const COMMAND = fileURLToPath(new URL('../../../packages/portcall/dist/cli/main.js', import.meta.url))
const PAGE = `<!doctype html><html lang="en"><title>Me</title><p>nobody</p><script type="module">
  const send = (message) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*')
  addEventListener('message', ({ data }) => {
    if (data.id === 1) send({ method: 'ui/notifications/initialized' })
    if (data.method === 'ui/notifications/tool-result') document.querySelector('p').textContent = data.params.content[0].text
  })
  send({ id: 1, method: 'ui/initialize', params: { protocolVersion: '2026-01-26', appInfo: { name: 'me', version: '1' }, appCapabilities: {} } })
</script></html>`

let browser: Browser
beforeAll(async () => {
  browser = await startBrowser()
})
afterAll(() => browser.close())

/** Starts a server whose tool needs an access token. Returns its URL. */
function startProtected(): Promise<string> {
  const server = createServer({ name: 'me', version: '1.0.0' }).tool(
    'whoami',
    { annotations: { readOnlyHint: true }, view: view({ html: PAGE }, { text: true }) },
    (_input: object, call) => `I am ${call.auth?.subject}`,
  )
  return serveProtected(server, { decide: () => ({ subject: 'ada' }) })
}

/** Signs in with `portcall login`, as a user does who opens the address that it prints. */
async function logIn(home: string, url: string): Promise<void> {
  const env = { ...process.env, HOME: home, XDG_CONFIG_HOME: join(home, 'config') }
  const child = spawn(process.execPath, [COMMAND, 'login', url, '--no-browser'], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  createInterface({ input: child.stderr }).on('line', (line) => {
    const [, address] = /Sign in at (\S+)/.exec(line) ?? []
    if (address) void fetch(address)
  })
  expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(0)
}

async function preview(home: string, url: string): Promise<Page> {
  const inspector = await startInspectorIn(home, 'apps', 'preview', url)
  const { page } = await openPage(browser, inspector.link)
  onTestFinished(async () => {
    await page.context().close()
    await inspector.stop()
    rmSync(home, { recursive: true, force: true, maxRetries: 20 })
  })
  return page
}

test('apps preview shows a view of a server where the user has signed in before', async () => {
  const [home, url] = [createHome(), await startProtected()]
  await logIn(home, url)
  const page = await preview(home, url)
  await page.frameLocator('.view-frame iframe').frameLocator('iframe').getByText('I am ada').waitFor()
})

test('tokens that are no longer valid are replaced by a sign-in on the page', async () => {
  const [home, url] = [createHome(), await startProtected()]
  await logIn(home, url)
  const folder = join(home, 'config', 'portcall', 'logins')
  for (const name of readdirSync(folder)) {
    const text = readFileSync(join(folder, name), 'utf8')
    writeFileSync(
      join(folder, name),
      text.replaceAll(/(access_?token\\*":\\*")[^"\\]+/gi, '$1wrong').replaceAll(/(refresh_?token\\*":\\*")[^"\\]+/gi, '$1wrong'),
    )
  }
  const page = await preview(home, url)
  await page.getByText(/^The server wants you to sign in at/).waitFor()
})
