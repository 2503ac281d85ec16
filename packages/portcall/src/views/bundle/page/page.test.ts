import { join } from 'node:path'
import { expect, test } from 'vitest'
import { growthOf } from '../../../../test-kit/growth.ts'
import { type ProjectFiles, viewProject } from '../../../../test-kit/view-project.ts'
import { buildView } from '../../build-view.ts'
import { splitPage } from './split.ts'

const PIXEL = Buffer.from('89504e470d0a1a0a', 'hex')
const DATA = `data:image/png;base64,${PIXEL.toString('base64')}`
const LARGE = Buffer.alloc(102_401)

/** Builds a page that needs no bundler, in a project without one. */
async function build(html: string, files: ProjectFiles = {}) {
  const folder = await viewProject({ 'views/page.html': html, 'views/pixel.png': PIXEL, ...files }, [])
  return buildView(join(folder, 'views/page.html'))
}

test.each<[what: string, html: string]>([
  ['a page without files', '<p>Text</p>'],
  [
    'files of other origins',
    '<img src="https://example.com/a.png" srcset="//a.example/b.png 1x"><script src="https://a.example/b.js"></script>',
  ],
  ['attributes of other names', '<img data-src="a.png"><img alt="src=a.png">'],
  ['text of a script', '<script>const a = "<img src=a.png>"</script>'],
  ['a comment', '<!-- <script src="a.js"></script> <link rel="stylesheet" href="a.css"> <img src="a.png"> -->'],
  ['text that is not markup', '<title><img src="a.png"></title><textarea><script src="a.js"></script></textarea>'],
  ['a module that imports addresses', '<script type="module">import "https://example.com/a.js"</script>'],
  [
    'a module whose packages an import map names',
    '<script type=importmap>{"imports":{"a":"https://a.example/a.js","b/":"https://b.example/"}}</script><script type="module">import "a"\nimport "b/c.js"</script>',
  ],
  ['a base of another origin', '<base href="https://example.com/"><img src="a.png"><link rel="stylesheet" href="a.css">'],
  ['a module that only mentions imports', '<script type="module">const a = "a letter from \'Berlin\'"</script>'],
  ['empty references', '<img src=""><a href="#top">Top</a><form action=""></form>'],
  [
    'a style sheet of another origin',
    '<style>@import "https://example.com/a.css"; /* url(a.png) */ .a { content: "url(b.png)" }</style>',
  ],
  ['Windows line ends', '<!doctype html>\r\n<p>\r\nText</p>\r\n'],
])('%s: the page stays as it is', async (_, html) => {
  expect(await build(html)).toEqual({ html, warnings: [] })
})

test.each<[what: string, html: string, built: string, files?: ProjectFiles]>([
  [
    'a classic script stays one, in its place',
    '<script id="a" data-b="1 > 0" src="./a.js"></script><p>',
    '<script id="a" data-b="1 > 0">function helper() {}\nvar end = "\\x3C/script>"\n</script><p>',
    { 'views/a.js': '\ufefffunction helper() {}\nvar end = "</script>"\n//# sourceMappingURL=a.js.map' },
  ],
  [
    'lines that start like comments of HTML',
    '<script src="a.js"></script>',
    '<script>//hidden\na("\\x3C!--<script>")</script>',
    { 'views/a.js': '<!--hidden\na("<!--<script>")' },
  ],
  [
    'a deferred script runs at the end',
    '<body><script defer src="a.js"></script><p>Text</p></body>',
    '<body><p>Text</p><script>a()</script></body>',
    { 'views/a.js': 'a()' },
  ],
  ['a script for old browsers', '<script nomodule src="a.js"></script><p>', '<p>', { 'views/a.js': 'a()' }],
  [
    'code for a program of the page',
    '<script type="text/babel" data-presets="react" src="a.jsx"></script>',
    '<script type="text/babel" data-presets="react">const a = <p/></script>',
    { 'views/a.jsx': 'const a = <p/>' },
  ],
  [
    'a style sheet with media, between others',
    '<style>.a{}</style><link media="print" rel="stylesheet" href="a.css" id="p"><style>.c{}</style>',
    '<style>.a{}</style><style media="print" id="p">.b{}</style><style>.c{}</style>',
    { 'views/a.css': '.b{}' },
  ],
  [
    'a style sheet that is loaded late',
    `<link rel="preload" as="style" onload="this.rel='stylesheet'" href="a.css">`,
    `<style onload="this.rel='stylesheet'">.b{}</style>`,
    { 'views/a.css': '.b{}' },
  ],
  ['what is loaded in advance', '<link rel="preload" as="script" href="a.js"><link rel=manifest href="m.json"><p>', '<p>'],
  ['a style element', '<style>.a{background:url(pixel.png)}</style>', `<style>.a{background:url("${DATA}")}</style>`],
  ['an attribute with styles', '<p style="background: url(pixel.png)">', `<p style="background: url(&quot;${DATA}&quot;)">`],
  [
    'a set of images',
    '<img srcset="pixel.png, pixel.png 2x,pixel.png?a,b 3x">',
    `<img srcset="${DATA}, ${DATA} 2x, ${DATA} 3x">`,
  ],
  [
    'media',
    '<video poster=pixel.png><source src="a.mp4"></video><audio src="a.mp3">',
    `<video poster="${DATA}"><source src="data:video/mp4;base64,YQ=="></video><audio src="data:audio/mpeg;base64,Yg==">`,
    { 'views/a.mp4': 'a', 'views/a.mp3': 'b' },
  ],
  ['an image of SVG', '<svg><image xlink:href="pixel.png"/></svg>', `<svg><image xlink:href="${DATA}"/></svg>`],
  ['an image in a template', '<template><img src="pixel.png"></template>', `<template><img src="${DATA}"></template>`],
  ['a > in an attribute', '<img alt="a > b" title=\'"\' src=pixel.png>', `<img alt="a > b" title='"' src="${DATA}">`],
  [
    'encoded names',
    '<img src="a%20b&amp;c.png?v=1"><img src="100%.png">',
    `<img src="${DATA}"><img src="${DATA}">`,
    { 'views/a b&c.png': PIXEL, 'views/100%.png': PIXEL },
  ],
  ['a fragment', '<img src="a.svg#icon">', '<img src="data:image/svg+xml;base64,PHN2Zy8+#icon">', { 'views/a.svg': '<svg/>' }],
  ['a local base', '<base href="img/"><img src="a.png">', `<base href="img/"><img src="${DATA}">`, { 'views/img/a.png': PIXEL }],
  [
    'files of the folder public',
    '<img src="/logo.png"><link rel="icon" href="/logo.png">',
    `<img src="${DATA}"><link rel="icon" href="${DATA}">`,
    { 'public/logo.png': PIXEL },
  ],
  [
    'Windows line ends',
    '<!doctype html>\r\n<p>\r\n<img src="pixel.png">\r\n',
    `<!doctype html>\r\n<p>\r\n<img src="${DATA}">\r\n`,
  ],
])('%s becomes a part of the page', async (_, html, built, files) => {
  expect(await build(html, files)).toEqual({ html: built, warnings: [] })
})

test('a style sheet that is switched off can be switched on', async () => {
  const { html } = await build('<link rel="stylesheet" disabled id="dark" href="a.css">', { 'views/a.css': '.b{}' })
  expect(html).toMatch(/^<style id="dark">\.b\{\}<\/style><script>.*\.disabled=true;.*<\/script>$/)
})

test.each<[message: string, html: string, files?: ProjectFiles]>([
  ['<iframe src="a.html">: A view has no other pages', '<iframe src="a.html"></iframe>'],
  ['<object data="a.pdf">: A view has no other pages', '<object data="a.pdf"></object>'],
  ['<a href="./b.html">: A view has no other pages. Use an absolute address', '<a href="./b.html">b</a>'],
  ['<form action="/send">: A view has no other pages', '<form action="/send"></form>'],
  ['<use href="a.svg#x">: Browsers load no symbols', '<svg><use href="a.svg#x"/></svg>'],
  ['a.mp4 has 102401 bytes', '<video src="a.mp4"></video>', { 'views/a.mp4': LARGE }],
  ['a.png has 102401 bytes', '<img srcset="a.png 2x">', { 'views/a.png': LARGE }],
  ['The script "a.js" is in a <template>', '<template><script src="a.js"></script></template>'],
  ['imports "./late.js", which cannot be loaded', '<script>import("./late.js")</script>'],
  ['The import map of the page is not JSON', '<script type="importmap">{</script>'],
])('a warning says: %s', async (message, html, files) => {
  const { html: built, warnings } = await build(html, files)
  expect(built).toBe(html)
  expect(warnings).toEqual([expect.stringContaining(message)])
})

test.each<[code: string, message: string, html: string]>([
  ['VIEW_NOT_FOUND', 'views/a.js of the view does not exist', '<script src="a.js"></script>'],
  ['VIEW_NOT_FOUND', 'views/a b.png of the view does not exist', '<img src="a%20b.png">'],
  ['VIEW_NOT_FOUND', 'views/a.css of the view does not exist', '<link rel="stylesheet" href="a.css">'],
  ['VIEW_NOT_FOUND', 'views/b.png of the view does not exist', '<style>.a{background:url(b.png)}</style>'],
  ['VIEW_NEEDS_BUNDLER', 'npm install --save-dev vite', '<script type="module">import "./pixel.png"</script>'],
])('%s: %s', async (code, message, html) => {
  await expect(build(html)).rejects.toMatchObject({ code, message: expect.stringContaining(message) })
})

test.each([
  '<script',
  '<script>',
  '<script type="module">import ',
  '<script type="module">\nimport ',
  '<script type="module">\nimport a, ',
  '<img src',
  '<link href=',
  '<img srcset=", a',
  '<style>@import ',
  '<style>@layer ',
  '<style>url(',
  'src=',
  '<!--',
])('a page of many %j is read in linear time', (part) => {
  const split = (html: string) => splitPage(html, { path: '/views/page.html', maxAssetBytes: 1, onWarning: () => {} })
  const read = (html: string): void => {
    try {
      split(html)
    } catch {
      // A file that does not exist.
    }
  }
  expect(growthOf(read, (size) => part.repeat(Math.ceil(size / part.length)))).toBeLessThan(3)
})
