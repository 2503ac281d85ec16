/** The size of what the page loads at first, and that it is complete in itself. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'

const PAGE = fileURLToPath(new URL('../../../packages/portcall/dist/inspector/page/', import.meta.url))
const FIRST_LOAD_BYTES = 200 * 1024
const ALL_BYTES = 1.5 * 1024 * 1024

const html = readFileSync(join(PAGE, 'index.html'), 'utf8')
const assets = readdirSync(join(PAGE, 'assets'))

test('at most 200 KB of compressed script at first load', () => {
  const scripts = [...html.matchAll(/(?:src|href)="\.\/(assets\/[^"]+\.js)"/g)].map(([, path = '']) => path)
  const bytes = scripts.reduce((sum, path) => sum + gzipSync(readFileSync(join(PAGE, path))).length, 0)
  console.log(`${Math.round(bytes / 1024)} KB of compressed script at first load`)
  expect(scripts.length).toBeGreaterThan(0)
  expect(bytes).toBeLessThan(FIRST_LOAD_BYTES)
})

test('at most 1.5 MB on disk', () => {
  const bytes = assets.reduce((sum, name) => sum + readFileSync(join(PAGE, 'assets', name)).length, 0)
  expect(bytes).toBeLessThan(ALL_BYTES)
})

// Findings about views name eval() and new Function().
test('no inline script or style, no address of elsewhere, no eval', () => {
  expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|<style|style=|\son\w+=|https?:\/\//)
  for (const name of assets.filter((file) => file.endsWith('.css')))
    expect(readFileSync(join(PAGE, 'assets', name), 'utf8')).not.toMatch(/url\(|@import/)
  for (const name of assets.filter((file) => file.endsWith('.js')))
    expect(readFileSync(join(PAGE, 'assets', name), 'utf8')).not.toMatch(/\beval\((?!\))|new Function\((?!\))/)
})

test('says whose code is in it', () => {
  const notices = readFileSync(join(PAGE, 'THIRD-PARTY.txt'), 'utf8')
  for (const name of ['preact', 'dompurify', 'marked', '@codemirror/view', '@zag-js/tabs'])
    expect(notices).toContain(`\n${name} `)
})
