/** Views of MCP Apps: the size of their library, the time from a result to the painted view, and from an edit to the repainted one. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { findChromium } from '../../tools/lib/chromium.mjs'
import { median } from '../harness/statistics.mjs'
import { installViews } from '../prepare.mjs'
import { NODE, PORTCALL } from './command-lines.mjs'

const at = (path) => fileURLToPath(new URL(`../views/${path}`, import.meta.url))
const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url))
const KIB = 1024
/** Views that are shown for one sample. */
const SHOWN = 15
const EDITS = 5
const TIMEOUT_MS = 20_000

const LIBRARIES = {
  portcall: "export { connectApp } from 'portcall/apps'",
  'ext-apps': "export { App, PostMessageTransport } from '@modelcontextprotocol/ext-apps'",
}

/** Bundles a module as views are bundled: one minified file. */
async function bundle(input, plugins = []) {
  const { rolldown } = await import('rolldown')
  const build = await rolldown({ input, plugins, platform: 'browser', logLevel: 'silent', cwd: at('.') })
  const { output } = await build.generate({ format: 'esm', minify: true, codeSplitting: false })
  await build.close()
  return output[0].code
}

async function libraryKB(name) {
  const id = at('library.mjs')
  const plugin = {
    name: 'library',
    resolveId: (wanted) => (wanted === id ? id : undefined),
    load: (wanted) => (wanted === id ? LIBRARIES[name] : undefined),
  }
  return gzipSync(await bundle(id, [plugin])).length / KIB
}

async function openBrowser() {
  const { chromium } = createRequire(at('package.json'))('playwright-core')
  const executablePath = findChromium()
  return chromium.launch({ args: ['--no-sandbox'], ...(executablePath && { executablePath }) })
}

async function openHost(name) {
  const script = (await bundle(at(`${name}-view.mjs`))).replaceAll('</script', '<\\/script')
  const page = `<!doctype html><title>Host</title><body><script type="module">${await bundle(at('host.mjs'))}</script>`
  const server = createServer((_request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(page))
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const browser = await openBrowser()
  const tab = await browser.newPage()
  await tab.goto(`http://127.0.0.1:${server.address().port}/`)
  await tab.waitForFunction('window.show !== undefined')
  const show = () => tab.evaluate((code) => window.show(code), script)
  await show()
  return {
    show,
    async close() {
      await browser.close()
      server.close()
    },
  }
}

async function measurePaint({ show }, _cell, { smoke }) {
  const times = []
  for (let count = smoke ? 1 : SHOWN; count > 0; count--) times.push(await show())
  return { paintMs: median(times) }
}

const SERVER = `import { createServer } from 'portcall'
import { view } from 'portcall/apps/server'
export const server = createServer({ name: 'edit', version: '1.0.0' }).tool('show', { view: view('./show.ts', { text: true }) }, () => 'here')
`
const viewOf = (count) => `import { connectApp } from 'portcall/apps'
document.title = 'Edit'
const app = await connectApp({ name: 'edit', version: '1.0.0' })
app.on('result', ({ content }) => { document.body.textContent = content[0].text + ' ${count}' })
`

/** Starts `portcall apps preview` with a project, and opens its page. */
async function openPreview() {
  const folder = mkdtempSync(join(tmpdir(), 'portcall-bench-'))
  symlinkSync(MODULES, join(folder, 'node_modules'))
  writeFileSync(join(folder, 'server.mjs'), SERVER)
  writeFileSync(join(folder, 'show.ts'), viewOf('first'))
  const env = { ...process.env, PORTCALL_HOME: folder }
  const child = spawn(NODE, [PORTCALL, 'apps', 'preview', '--no-open', join(folder, 'server.mjs')], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const link = await new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [found] = /http:\/\/127\.0\.0\.1:\d+\S*/.exec(line) ?? []
      if (found) resolve(found)
    })
    child.once('exit', (code) => reject(new Error(`the preview ended with ${code}`)))
  })
  const browser = await openBrowser()
  const page = await browser.newPage()
  page.setDefaultTimeout(TIMEOUT_MS)
  await page.goto(link)
  const shows = (text) =>
    page.frameLocator('.view-frame iframe').frameLocator('iframe').getByText(text, { exact: true }).waitFor()
  await shows('here first')
  return {
    edit: (count) => writeFileSync(join(folder, 'show.ts'), viewOf(count)),
    shows,
    async close() {
      await browser.close()
      child.kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function measureEdits({ edit, shows }, _cell, { smoke }) {
  const times = []
  for (let count = smoke ? 1 : EDITS; count > 0; count--) {
    const startedAt = performance.now()
    edit(startedAt)
    await shows(`here ${startedAt}`)
    times.push(performance.now() - startedAt)
  }
  return { paintMs: median(times) }
}

export const VIEWS = [
  {
    id: 'views/size',
    title: 'The library in each view',
    columns: ['bundleKB'],
    subjects: Object.keys(LIBRARIES),
    cells: [{ id: 'core', title: 'core' }],
    rounds: 1,
    prepare: installViews,
    open: (name) => ({ name, close() {} }),
    measure: async ({ name }) => ({ bundleKB: await libraryKB(name) }),
  },
  {
    id: 'views/paint',
    title: 'From the result of a tool to its painted view',
    columns: ['paintMs'],
    subjects: Object.keys(LIBRARIES),
    cells: [{ id: 'show', title: '40 rows' }],
    rounds: 5,
    peerRounds: 5,
    prepare: installViews,
    open: openHost,
    measure: measurePaint,
  },
  {
    id: 'views/edit',
    title: 'From an edit of a view to the repainted one, with `portcall apps preview`',
    columns: ['paintMs'],
    subjects: ['portcall'],
    cells: [{ id: 'edit', title: 'edit' }],
    rounds: 3,
    async prepare() {
      const { ensureInspector } = await import('../../tools/inspector.mjs')
      await ensureInspector()
      return installViews()
    },
    open: openPreview,
    measure: measureEdits,
  },
]
