import { mkdir, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { type ProjectFiles, viewProject } from '../../../test-kit/view-project.ts'
import type { BuildViewOptions } from '../build-options.ts'
import { buildView } from '../build-view.ts'
import { view } from '../view.ts'

const PIXEL = Buffer.from('89504e470d0a1a0a', 'hex')
const DATA = `data:image/png;base64,${PIXEL.toString('base64')}`
const MAIN = { 'main.js': 'document.title = "Chart"' }
const PAGE = '<head><title>Page</title></head><script type="module" src="main.js"></script>'

async function build(files: ProjectFiles, bundlers: readonly string[], entry: string, options: BuildViewOptions = {}) {
  const folder = await viewProject(files, bundlers)
  return buildView(join(folder, entry), options)
}

describe.each(['vite', 'rolldown'] as const)('with %s', (bundler) => {
  test('scripts of all kinds keep their order, their kind and their attributes', async () => {
    const files = {
      'page.html':
        '<head><script>a1</script><script src="classic.js"></script><script type="module" id="m" data-a="1" src="main.js"></script>' +
        '<script type="module" data-second src="second.js"></script></head>',
      'classic.js': 'var unused = 1',
      'second.js': 'document.title += 2',
      ...MAIN,
    }
    const { html, warnings } = await build(files, [bundler], 'page.html', { bundler })
    expect(html).toMatch(
      /^<head><script>a1<\/script><script>var unused = 1<\/script><script type="module" id="m" data-a="1">.*Chart.*2.*<\/script><script type="module" data-second><\/script><\/head>$/s,
    )
    expect(warnings).toEqual([])
  })

  test('a script that is written as a module is bundled as one, with a warning', async () => {
    const files = {
      'page.html': '<script src="main.js"></script>',
      'main.js': 'import { n } from "./n.js"\nconsole.log(n)',
      'n.js': 'export const n = "Ada"',
    }
    const { html, warnings } = await build(files, [bundler], 'page.html', { bundler })
    expect(html).toMatch(/^<script type="module">.*Ada.*<\/script>$/s)
    expect(warnings).toEqual([expect.stringContaining('Add type="module"')])
  })

  test('packages that an import map gives an address stay imports, and local ones are bundled', async () => {
    const files = {
      'page.html':
        '<script type="importmap">{"imports":{"far":"https://a.example/far.js","near":"./near.js"}}</script><script type="module">import f from "far"; import n from "near"; f(n)</script>',
      'near.js': 'export default "Ada"',
    }
    const { html } = await build(files, [bundler], 'page.html', { bundler })
    expect(html).toMatch(/<script type="module">import \w+ from ?["']far["'];.*Ada/s)
  })

  test('conditions of imports hold, and the order of style sheets is that of the page', async () => {
    const files = {
      'page.html':
        '<head><link rel="stylesheet" media="print" href="a.css"><style>.b{color:red}</style></head><script type="module" src="main.js"></script>',
      'main.js': 'import "./d.css"',
      'a.css': '@import "c.css" layer(x) supports(display: grid) screen; .a{color:red}',
      'c.css': '.c{color:red}',
      'd.css': '.d{color:red}',
    }
    const { html } = await build(files, [bundler], 'page.html', { bundler })
    expect(html).toMatch(
      /<style media="print">@media screen\s*\{\s*@supports \(display:\s?grid\)\s*\{\s*@layer x\s*\{\s*\.c.*\.a.*<\/style><style>\.b.*<\/style><style>\.d/s,
    )
    expect(html).not.toContain('<script')
  })

  test('a missing file of a style sheet is an error', async () => {
    const files = { 'page.html': '<link rel="stylesheet" href="a.css">', 'a.css': '.a{background:url(./gone.png)}' }
    await expect(build(files, [bundler], 'page.html', { bundler })).rejects.toMatchObject({
      code: 'VIEW_NOT_FOUND',
      message: expect.stringContaining('gone.png'),
    })
  })

  test('a worker in a file is an error that says what to do', async () => {
    const files = { 'main.js': 'new Worker(new URL("./work.js", import.meta.url))', 'work.js': 'postMessage(1)' }
    await expect(build(files, [bundler], 'main.js', { bundler })).rejects.toMatchObject({
      code: 'VIEW_BUILD_FAILED',
      message: expect.stringMatching(/starts the worker .*work.*\?worker&inline/),
    })
  })

  test('an error has neither colors nor a stack', async () => {
    const error = await build({ 'main.ts': 'const x: = 1' }, [bundler], 'main.ts', { bundler }).catch((failure: Error) => failure)
    const { message, cause } = error as Error
    for (const text of [message, String((cause as Error).stack)]) {
      expect(text).toContain('main.ts')
      expect(text).not.toContain('\u001b')
    }
    expect(message).not.toMatch(/\n\s+at /)
  })

  test.each(['main.mjs', 'main.mts'])('%s is a script', async (entry) => {
    expect((await build({ [entry]: 'document.title = "Chart"' }, [bundler], entry, { bundler })).html).toContain('Chart')
  })

  test('a link to a view means the file that it leads to', async () => {
    const folder = await viewProject({ 'src/page.html': PAGE, 'src/main.js': MAIN['main.js'] }, [bundler])
    await mkdir(join(folder, 'links'))
    await symlink(join(folder, 'src/page.html'), join(folder, 'links/page.html'))
    expect((await buildView(join(folder, 'links/page.html'), { bundler })).html).toContain('Chart')
  })
})

describe('the configuration of Vite', () => {
  const configured = (config: string, files: ProjectFiles = {}) =>
    build({ 'vite.config.js': `export default ${config}`, 'page.html': PAGE, ...MAIN, ...files }, ['vite'], 'page.html')

  test.each([
    ['a library', '{ build: { lib: { entry: "lib.js", name: "Lib", formats: ["umd", "es"] } } }'],
    ['several pages', '{ build: { rollupOptions: { input: { a: "a.html", b: "b.html" } } } }'],
    ['chunks', '{ build: { rollupOptions: { output: { manualChunks: () => "all" } } } }'],
    ['several outputs', '{ build: { rollupOptions: { output: [{ format: "es" }, { format: "cjs" }] } } }'],
    ['external modules', '{ build: { rollupOptions: { external: [/main/] } } }'],
    ['a base and a folder of assets', '{ base: "/app/", build: { assetsDir: "x", assetsInlineLimit: 0, cssCodeSplit: true } }'],
    ['watching', '{ build: { watch: {} } }'],
    ['a server build', '{ build: { ssr: true, manifest: true } }'],
  ])('may be that of %s', async (_, config) => {
    const { html, warnings } = await configured(config)
    expect(html).toMatch(/^<head><title>Page<\/title><\/head><script type="module">.*Chart.*<\/script>$/s)
    expect(warnings).toEqual([])
  })

  test('has plugins that change the page: their hooks run in order, and what they add is bundled', async () => {
    const plugins = `[
      { name: 'late', transformIndexHtml: { order: 'post', handler: (html) => html.replace('Changed', 'Changed twice') } },
      { name: 'page', transformIndexHtml: (html, { path }) => html.replace('Page', 'Changed ' + path) },
      { name: 'tags', transformIndexHtml: () => [{ tag: 'script', attrs: { src: '/classic.js', 'data-on': true, 'data-off': false }, injectTo: 'head' },
        { tag: 'noscript', children: [{ tag: 'p', children: 'No scripts' }], injectTo: 'body' }] },
    ]`
    const { html } = await configured(`{ plugins: ${plugins} }`, { 'classic.js': 'var a = 1' })
    expect(html).toMatch(
      /^<head><title>Changed twice \/page\.html<\/title><script data-on>var a = 1<\/script><\/head><script type="module">.*<\/script><noscript><p>No scripts<\/p><\/noscript>$/s,
    )
  })

  test('has variables for pages', async () => {
    const files = { '.env': 'VITE_NAME=Ada', 'page.html': PAGE.replace('Page', '%VITE_NAME% %MODE% 100%') }
    expect((await configured('{}', files)).html).toContain('<title>Ada production 100%</title>')
  })

  test('may name files of the folder public, and parts of SVG files', async () => {
    const files = {
      'main.js': 'import logo from "/logo.png"\nimport "./a.css"\nconsole.log(logo)',
      'a.css': '.a{background:url(/logo.png)} .b{background:url(./icon.svg#a)}',
      'public/logo.png': PIXEL,
      'icon.svg': '<svg xmlns="http://www.w3.org/2000/svg"><view id="a"/></svg>',
    }
    const { html, warnings } = await configured('{}', files)
    expect(html.split(DATA)).toHaveLength(3)
    expect(html.match(/data:image\/svg\+xml[^"'`)]*#a/g)).toHaveLength(1)
    expect(html).not.toContain('portcall-view-assets')
    expect(warnings).toEqual([])
  })

  test('may load the worker as a part of the script', async () => {
    const files = {
      'main.js': 'import Work from "./work.js?worker&inline"\nnew Work()',
      'work.js': 'postMessage("from the worker")',
    }
    expect((await configured('{}', files)).html).toMatch(/from the worker|new Blob/)
  })
})

describe('places of views', () => {
  test('a place that ends in a slash is a folder', async () => {
    const folder = await viewProject({ 'views/page.html': '<p>' }, [])
    for (const from of [
      `${pathToFileURL(folder).href}/`,
      new URL(`${pathToFileURL(folder).href}/`),
      pathToFileURL(join(folder, 'server.js')),
    ])
      expect(view('./views/page.html', { from })).toHaveProperty('~bind')
  })

  test('a folder is not a view', async () => {
    const folder = await viewProject({ 'd.html/a.txt': '' }, [])
    expect(() => view(join(folder, 'd.html'))).toThrow('d.html is a folder, not a file')
  })

  test('the folder of the outFile is created, and the view itself is never overwritten', async () => {
    const folder = await viewProject({ 'page.html': '<p>' }, [])
    const outFile = join(folder, 'a/b/page.html')
    await buildView(join(folder, 'page.html'), { outFile })
    expect(await readFile(outFile, 'utf8')).toBe('<p>')
    await expect(buildView(outFile, { outFile })).rejects.toThrow('is the view itself')
  })

  test.each([[undefined], [5], [{ html: '<p>' }], [new URL('https://example.com/a.html')]])(
    '%j is not an entry',
    async (entry) => {
      await expect(buildView(entry as never)).rejects.toThrow(TypeError)
    },
  )

  test('a relative entry starts at the current folder, which the message says', async () => {
    await expect(buildView('./no-such-view.html')).rejects.toMatchObject({
      code: 'VIEW_NOT_FOUND',
      message: expect.stringContaining('starts at the current folder'),
    })
  })
})
