import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type ProjectFiles, viewProject } from '../../../../test-kit/view-project.ts'
import { createLocalFiles } from '../files.ts'
import { joinSheets, readSheet } from './read-sheet.ts'

async function read(css: string, files: ProjectFiles = {}) {
  const folder = await viewProject({ 'a.css': css, 'b.css': '.b{}', 'pixel.png': 'a', ...files }, [])
  const warnings: string[] = []
  const reader = {
    files: createLocalFiles(join(folder, 'page.html')),
    maxAssetBytes: 100,
    onWarning: (text: string) => void warnings.push(text),
  }
  return { css: joinSheets([readSheet(join(folder, 'a.css'), reader)]).replaceAll(/\s+/g, ' '), warnings }
}

const DATA = 'data:image/png;base64,YQ=='

test.each<[css: string, flat: string, files?: ProjectFiles]>([
  ['@import "b.css"; .a{}', '.b{} .a{}'],
  ['@IMPORT URL( b.css ) ;.a{}', '.b{} .a{}'],
  ['@import url("b.css") layer(base.reset);', '@layer base.reset { .b{} }'],
  ['@import "b.css" layer;', '@layer { .b{} }'],
  [
    '@import "b.css" supports(display: grid) screen and (min-width: 1px);',
    '@media screen and (min-width: 1px) { @supports (display: grid) { .b{} } }',
  ],
  [
    '@import "b.css" layer(x) supports(not (display: grid)) print, screen;',
    '@media print, screen { @supports (not (display: grid)) { @layer x { .b{} } } }',
  ],
  [
    '@import "c.css"; .a{}',
    '@import "https://example.com/x.css" print; .b{} .c{} .a{}',
    { 'c.css': '@import url(https://example.com/x.css) print; @import "b.css"; .c{}' },
  ],
  [
    '@layer one, two; @import "https://example.com/x.css" layer(two); @import "b.css" layer(one);',
    '@layer one, two; @import "https://example.com/x.css" layer(two); @layer one { .b{} }',
  ],
  ['@charset "utf-8"; @import "b.css";', '.b{}'],
  [
    '/* @import "gone.css"; url(gone.png) */ .a{content:"url(gone.png)"}',
    '/* @import "gone.css"; url(gone.png) */ .a{content:"url(gone.png)"}',
  ],
  ['@import "c.css"; .a{}', '.c{} .a{}', { 'c.css': '.c{' }],
  ['@import "c.css"; .a{}', '.c{} /* open*/ .a{}', { 'c.css': '.c{} /* open' }],
  ['@import "c.css"; .a{}', '.c{} .a{}', { 'c.css': '@import "a.css"; .c{}' }],
  [
    '.a{background:url(pixel.png),url( "pixel.png" );mask:url(#m)}',
    `.a{background:url("${DATA}"),url( "${DATA}" );mask:url(#m)}`,
  ],
  [
    '.a{background:image-set("pixel.png" 1x, url(pixel.png) 2x)}',
    `.a{background:image-set(url("${DATA}") 1x, url("${DATA}") 2x)}`,
  ],
  ['.a{background:url(pixel\\.png)}', `.a{background:url("${DATA}")}`],
  ['@import "sub/c.css";', `.c{background:url("${DATA}")}`, { 'sub/c.css': '.c{background:url(../pixel.png?v=1)}' }],
  ['@namespace svg url(http://www.w3.org/2000/svg);', '@namespace svg url(http://www.w3.org/2000/svg);'],
])('%j becomes %j', async (css, flat, files) => {
  expect(await read(css, files)).toEqual({ css: flat.trim(), warnings: [] })
})

test('an import after a rule is left out, as browsers do, with a warning', async () => {
  expect(await read('.a{} @import "b.css"; .c{}')).toEqual({
    css: '.a{} .c{}',
    warnings: [expect.stringContaining('follows a rule')],
  })
})

test.each(['@import "gone.css";', '.a{background:url(gone.png)}'])('%j names the missing file', async (css) => {
  await expect(read(css)).rejects.toMatchObject({ code: 'VIEW_NOT_FOUND', message: expect.stringContaining('gone.') })
})
