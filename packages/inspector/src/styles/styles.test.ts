/** No rule of the style sheets is for a class that no component has, and each sheet is imported. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const HOME = new URL('..', import.meta.url)
const files = readdirSync(HOME, { recursive: true, encoding: 'utf8' })
const read = (file: string): string => readFileSync(new URL(file, HOME), 'utf8')
const sheets = files.filter((file) => file.endsWith('.css'))
const sources = files.filter((file) => /(?<!\.test)\.tsx?$/.test(file)).map(read)

/** The beginnings of classes whose rest is a value: `dot connected`, `pane-timeline`. */
const COMPUTED = /^(json|kind|pane|screen)-/

test('each class of a rule is in a component', () => {
  const text = sheets.map((file) => read(file).replace(/\/\*.*?\*\//gs, '')).join('\n')
  const classes = new Set([...text.matchAll(/\.([a-z][\w-]+)/g)].map(([, name = '']) => name))
  const isUsed = (name: string): boolean =>
    COMPUTED.test(name) || sources.some((source) => new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(source))
  expect(classes.size).toBeGreaterThan(200)
  expect([...classes].filter((name) => !isUsed(name))).toEqual([])
})

test('index.css imports each sheet once', () => {
  const imported = [...read('styles/index.css').matchAll(/"\.\/(.+)"/g)].map(([, file]) => `styles/${file}`)
  expect(imported.sort()).toEqual(sheets.filter((file) => file !== 'styles/index.css').sort())
})
