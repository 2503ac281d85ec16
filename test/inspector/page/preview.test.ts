/** `portcall apps preview`: the inspector at a view, which follows edits. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, FrameLocator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { openPage, type RunningInspector, startBrowser, startInspector } from './support/inspector.ts'

const MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url))
const SERVER = (prefix: string): string => `
import { createServer } from 'portcall'
import { view } from 'portcall/apps/server'
export const server = createServer({ name: 'greetings', version: '1.0.0' })
  .tool('other', {}, () => 'no view')
  .tool('greet', {
    input: { type: 'object', properties: { name: { type: 'string', examples: ['Ada'] } }, required: ['name'] },
    view: view('./views/greet.html', { text: true }),
  }, ({ name }) => \`${prefix} \${name}\`)
`
const PAGE =
  '<!doctype html><html lang="en"><title>Greet</title><h1>Greeting</h1><p></p><script type="module" src="greet.ts"></script></html>'
const SCRIPT = (mark: string): string => `
import { connectApp } from 'portcall/apps'
import './greet.css'
const app = await connectApp({ name: 'greet', version: '1.0.0' })
app.on('result', ({ content }) => { document.querySelector('p')!.textContent = (content[0] as { text: string }).text + '${mark}' })
`

let browser: Browser
let folder: string
let inspector: RunningInspector | undefined
let page: Page | undefined
beforeAll(async () => {
  browser = await startBrowser()
})
afterAll(() => browser.close())
const write = (name: string, text: string): void => writeFileSync(join(folder, name), text)
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'portcall-preview-'))
  symlinkSync(MODULES, join(folder, 'node_modules'))
  mkdirSync(join(folder, 'views'))
  write('server.mjs', SERVER('Hello'))
  write('views/greet.html', PAGE)
  write('views/greet.ts', SCRIPT('!'))
  write('views/greet.css', 'h1 { color: rgb(1, 2, 3) }')
})
afterEach(async () => {
  await page?.context().close()
  page = undefined
  await inspector?.stop()
  inspector = undefined
  rmSync(folder, { recursive: true, force: true })
})

async function preview(...options: string[]): Promise<{ view: FrameLocator; page: Page }> {
  inspector = await startInspector('apps', 'preview', join(folder, 'server.mjs'), ...options)
  const opened = await openPage(browser, inspector.link)
  page = opened.page
  return { page, view: page.frameLocator('.view-frame iframe').frameLocator('iframe') }
}

test('calls the first tool with a view with the examples of its schema, in the host of the options', async () => {
  const { view, page } = await preview('--profile', 'claude', '--theme', 'dark', '--width', '410')
  await view.getByText('Hello Ada!').waitFor()
  expect(await page.locator('.view-frame').evaluate((one) => one.clientWidth)).toBe(410)
  expect(await page.getByLabel('Host').inputValue()).toBe('claude')
  await page.getByText(/Claude is emulated, as of/).waitFor()
})

test('shows the view again when its page, its script, its styles or the server change, with the same arguments', async () => {
  write('args.json', '{ "name": "Grace" }')
  const { view } = await preview('--tool', 'greet', '--args', `@${join(folder, 'args.json')}`)
  await view.getByText('Hello Grace!').waitFor()
  write('views/greet.ts', SCRIPT('?'))
  await view.getByText('Hello Grace?').waitFor()
  write('views/greet.css', 'h1 { color: rgb(7, 8, 9) }')
  await expect.poll(() => view.locator('h1').evaluate((one) => getComputedStyle(one).color)).toBe('rgb(7, 8, 9)')
  write('views/greet.html', PAGE.replace('Greeting', 'Salutation'))
  await view.getByText('Salutation').waitFor()
  write('server.mjs', SERVER('Good day'))
  await view.getByText('Good day Grace?').waitFor()
})

/** A view with what people change in it: fields, an opened part, and more than fits on the screen. */
const FORM_PAGE = (mark: string): string => `<!doctype html><html lang="en"><title>Form</title><h1>Form ${mark}</h1><p></p>
<label>Note <input name="note"></label><label><input type="checkbox" id="agree"> Agree</label>
<label>Size <select name="size"><option>small</option><option>large</option></select></label>
<details><summary>More</summary><div id="list" style="height: 40px; overflow: auto"><div style="height: 900px">rows</div></div></details>
<script type="module" src="greet.ts"></script></html>`

test('shows each of 100 edits, and keeps what a person has done in the view', async () => {
  write('views/greet.html', FORM_PAGE('0'))
  const { view } = await preview()
  await view.getByText('Hello Ada!').waitFor()
  await view.getByLabel('Note').fill('unsaved words')
  await view.getByLabel('Agree').check()
  await view.getByLabel('Size').selectOption('large')
  await view.getByText('More').click()
  const scrollTop = (): Promise<number> => view.locator('#list').evaluate((list) => list.scrollTop)
  await view.locator('#list').evaluate((list) => list.scrollTo(0, 300))
  await view.getByLabel('Note').focus()
  const shown: string[] = []
  for (let edit = 1; edit <= 100; edit++) {
    write('views/greet.html', FORM_PAGE(String(edit)))
    await view.getByRole('heading', { name: `Form ${edit}`, exact: true }).waitFor()
    shown.push((await view.getByRole('heading').textContent()) ?? '')
  }
  expect(shown).toEqual(Array.from({ length: 100 }, (_, index) => `Form ${index + 1}`))
  await view.getByText('Hello Ada!').waitFor()
  await expect.poll(() => view.getByLabel('Note').inputValue()).toBe('unsaved words')
  expect(await view.getByLabel('Agree').isChecked()).toBe(true)
  expect(await view.getByLabel('Size').inputValue()).toBe('large')
  await expect.poll(scrollTop).toBe(300)
  await expect.poll(() => view.getByLabel('Note').evaluate((one) => one === document.activeElement)).toBe(true)
}, 120_000)

test('keeps the state over a version that fails, and shows the last of edits that come faster than builds', async () => {
  write('views/greet.html', FORM_PAGE('good'))
  const { view, page } = await preview()
  await view.getByText('Hello Ada!').waitFor()
  await view.getByLabel('Note').fill('unsaved words')
  write('views/greet.ts', "import { nothing } from './missing.ts'\nnothing()")
  await page
    .locator('.tool-view')
    .getByText(/missing\.ts/)
    .first()
    .waitFor()
  write('views/greet.ts', SCRIPT('?'))
  await view.getByText('Hello Ada?').waitFor()
  await expect.poll(() => view.getByLabel('Note').inputValue()).toBe('unsaved words')
  for (let edit = 0; edit < 20; edit++) {
    write('views/greet.ts', SCRIPT(` ${edit}`))
    await new Promise((resolve) => setTimeout(resolve, 45))
  }
  await view.getByText('Hello Ada 19', { exact: true }).waitFor()
  await expect.poll(() => view.getByLabel('Note').inputValue()).toBe('unsaved words')
})

test('says what is wrong with a view that cannot be built, and shows it once it is corrected', async () => {
  write('views/greet.ts', "import { nothing } from './missing.ts'\nnothing()")
  const { view, page } = await preview()
  await page
    .locator('.tool-view')
    .getByText(/missing\.ts/)
    .first()
    .waitFor()
  write('views/greet.ts', SCRIPT('.'))
  await view.getByText('Hello Ada.').waitFor()
})

test('refuses options that have no effect', async () => {
  await expect(startInspector('apps', 'preview', join(folder, 'server.mjs'), '--record', 'x')).rejects.toThrow(
    /--record is not for apps preview/,
  )
  await expect(startInspector('apps', 'preview', join(folder, 'server.mjs'), '--junit', 'x')).rejects.toThrow(/--junit/)
})
