import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { callerOf } from '../../../test-kit/server.ts'
import { viewProject } from '../../../test-kit/view-project.ts'
import type { ServerEvent } from '../../server/events.ts'
import { createServer } from '../../server/server.ts'
import type { BuildViewOptions } from '../build-options.ts'
import { buildView } from '../build-view.ts'
import { view } from '../view.ts'
import { assemblePage } from './assemble.ts'
import { escapeScript } from './page/script-text.ts'
import { splitPage } from './page/split.ts'

const PIXEL = Buffer.from('89504e470d0a1a0a', 'hex')

const FILES = {
  'page/index.html':
    '<!doctype html><html><head><link rel="stylesheet" href="./a.css"><link rel="icon" href="pixel.png"></head>' +
    '<body><img alt="" src="pixel.png"><script type="module" src="./main.ts"></script>' +
    '<script type="module">import { name } from "./name.ts"; globalThis.log.push(`inline ${name}`)</script></body></html>',
  'page/main.ts':
    'import "./b.css"\nimport pixel from "./pixel.png"\nimport { name } from "./name.ts"\n' +
    'interface Unused { a: string }\nconst end: string = "</script><!--<script>"\n' +
    'globalThis.log = [name, end, pixel, process.env.NODE_ENV]\nimport("./late.ts")',
  'page/late.ts': 'globalThis.log.push("late")',
  'page/name.ts': 'export const name: string = "Ada"',
  'page/a.css': '@import "./base.css";\n.a { background: url(pixel.png) }',
  'page/b.css': '.b { color: red; content: "</style>" }',
  'page/base.css': '.base { color: blue }',
  'page/pixel.png': PIXEL,
}

/** The requests that a page would send: none of these may be in it. */
const REQUESTS =
  /\b(?:src|href)\s*=\s*(?:"(?!data:)|'(?!data:)|[^"'\s])|@import|url\(\s*(?:"(?!data:)|'(?!data:)|(?!data:)[^"'\s])|\bimport\s*\(\s*["'`]|from\s*["'][./]|localhost|@vite/i

function scriptOf(html: string): string {
  const scripts = [...html.matchAll(/<script\b[^>]*>([\s\S]*?)<\/script>/gi)]
  expect(scripts).toHaveLength(1)
  return scripts[0]?.[1] ?? ''
}

describe.each(['vite', 'rolldown'] as const)('with %s', (bundler) => {
  const build = (entry: string, options: BuildViewOptions = {}) => buildView(entry, { bundler, ...options })

  test('a page with its scripts, styles and images is one file', async () => {
    const folder = await viewProject(FILES, [bundler])
    const { html, warnings } = await build(join(folder, 'page/index.html'))
    expect(warnings).toEqual([])
    const script = scriptOf(html)
    expect(html.replace(script, '')).not.toMatch(REQUESTS)
    const context = { log: [] as unknown[], Promise, globalThis: {} }
    context.globalThis = context
    // Vite adds code for files to load in advance, of which there are none.
    runInNewContext(script.replaceAll('import.meta', '({})'), context)
    await new Promise(setImmediate)
    expect(context.log.slice(0, 2)).toEqual(['Ada', '</script><!--<script>'])
    expect(context.log.slice(2)).toEqual(
      expect.arrayContaining([`data:image/png;base64,${PIXEL.toString('base64')}`, 'production', 'inline Ada', 'late']),
    )
    const style = /<style>([\s\S]*)<\/style>\s*<\/head>/.exec(html)?.[1] ?? ''
    expect(style.match(/\.(?:base|a|b)\b/g)).toEqual(['.base', '.a', '.b'])
  })

  test('the same files give the same bytes, in any folder', async () => {
    const pages = await Promise.all(
      [1, 2].map(async () => (await build(join(await viewProject(FILES, [bundler]), 'page/index.html'))).html),
    )
    expect(pages[0]).toBe(pages[1])
  })

  test('a script gets a page, and its source map is beside it', async () => {
    const folder = await viewProject(
      { 'chart.ts': 'const root: Element | null = document.getElementById("root")\nroot!.textContent = "x"' },
      [bundler],
    )
    const outFile = join(folder, 'dist/views/chart.html')
    const { html, map = '' } = await build(join(folder, 'chart.ts'), { outFile, sourcemap: true })
    expect(html).toMatch(/<title>chart<\/title>[\s\S]*<div id="root"><\/div>\s*<script type="module">/)
    expect(html).not.toContain('sourceMappingURL')
    expect(JSON.parse(map)).toMatchObject({ version: 3 })
    expect(await readFile(outFile, 'utf8')).toBe(html)
    expect(await readFile(`${outFile}.map`, 'utf8')).toBe(map)
    expect((await buildView(outFile)).html).toBe(html)
  })

  test.each<[string, { readonly [path: string]: string | Uint8Array }]>([
    ['missing.ts', { 'chart.ts': 'import "./missing.ts"' }],
    ['no-such-package', { 'chart.ts': 'import "no-such-package"' }],
    ['', { 'chart.ts': 'const x: = 1' }],
    ['102401 bytes', { 'chart.ts': 'import big from "./big.png"\nconsole.log(big)', 'big.png': Buffer.alloc(102_401) }],
  ])('a mistake is named: %s', async (message, files) => {
    const folder = await viewProject(files, [bundler])
    await expect(build(join(folder, 'chart.ts'))).rejects.toMatchObject({
      code: 'VIEW_BUILD_FAILED',
      message: expect.stringContaining(message),
    })
  })
})

test('a view that is bundled at the start has its final URI in the first list', async () => {
  const folder = await viewProject({ 'chart.ts': 'document.title = "Chart"' }, ['rolldown'])
  const server = createServer({ name: 'charts', version: '1' })
  server.tool('draw', { view: view(join(folder, 'chart.ts'), { text: true }) }, () => 'x')
  const caller = callerOf(server)
  const { tools } = await caller.result('tools/list')
  const uri = (tools as { _meta: { ui: { resourceUri: string } } }[])[0]?._meta.ui.resourceUri
  expect(uri).toMatch(/^ui:\/\/charts\/chart\.html\?v=[0-9a-f]{12}$/)
  expect(await caller.result('resources/read', { uri })).toMatchObject({ contents: [{ text: expect.stringContaining('Chart') }] })
})

test('a view that cannot be bundled is reported, and its tool still works', async () => {
  const folder = await viewProject({ 'chart.ts': 'import "./secret-name.ts"' }, ['rolldown'])
  const events: ServerEvent[] = []
  const server = createServer({ name: 'charts', version: '1' }, { onEvent: (event) => void events.push(event) })
  server.tool('draw', { view: view(join(folder, 'chart.ts'), { text: true }) }, () => 'x')
  const caller = callerOf(server)
  await caller.result('tools/list')
  expect(events).toMatchObject([{ type: 'error', method: 'view', error: { code: 'VIEW_BUILD_FAILED' } }])
  const { contents } = await caller.result('resources/read', { uri: 'ui://charts/chart.html' })
  const [{ text = '' } = {}] = contents as { text?: string }[]
  expect(text).toContain(events[0]?.type === 'error' ? events[0].reference : '?')
  expect(text).not.toContain('secret-name')
  expect(await caller.result('tools/call', { name: 'draw' })).toMatchObject({ content: [{ text: 'x' }] })
})

test('without a bundler, the message names the command that installs one', async () => {
  const folder = await viewProject({ 'chart.tsx': '' }, [])
  await expect(buildView(join(folder, 'chart.tsx'))).rejects.toMatchObject({
    code: 'VIEW_NEEDS_BUNDLER',
    message: expect.stringContaining('npm install --save-dev vite'),
  })
})

test.each([
  ['"</script>"', '"\\x3C/script>"'],
  ['"<\\/script>"', '"<\\/script>"'],
  ['"\\</SCRIPT>"', '"\\x3C/SCRIPT>"'],
  ['"\\\\</script>"', '"\\\\\\x3C/script>"'],
  ['"<!--<script>"', '"\\x3C!--<script>"'],
  ['/<!--/u.test(x)', '/\\x3C!--/u.test(x)'],
  ['a<script.length', 'a<script.length'],
])('%s is escaped as %s and means the same', (code, escaped) => {
  expect(escapeScript(code)).toBe(escaped)
  const scope = { x: '<!--', a: 1, script: 'abc' }
  expect(String(runInNewContext(escaped, { ...scope }))).toBe(String(runInNewContext(code, { ...scope })))
})

test('what looks like a pattern of replacements stays as it is', () => {
  const html = '<head></head><script type="module">import "./a.js"</script>'
  const parts = splitPage(html, { path: '/views/page.html', maxAssetBytes: 1, onWarning: () => {} })
  expect(assemblePage(parts, { code: "a='$&$1'", css: '.a{content:"$&"}' }, [])).toBe(
    `<head><style>.a{content:"$&"}</style></head><script type="module">a='$&$1'</script>`,
  )
})
