import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { CATALOGUE } from './catalogue.ts'

const folder = fileURLToPath(new URL('.', import.meta.url))
/** Faults that need services or several processes are tested in `test/scale`. */
const files = [folder, `${folder}client/`, `${folder}auth/`, `${folder}../scale/`]
  .flatMap((path) => readdirSync(path).map((name) => `${path}${name}`))
  .filter((path) => path.endsWith('.test.ts') && !path.endsWith('catalogue.test.ts'))
const tested = new Set(files.flatMap((path) => readFileSync(path, 'utf8').match(/\b(?:B\d|[CEGHMSX]\d\d[a-g]?)\b/g) ?? []))

test('each fault of the catalogue has a test', () => {
  expect(Object.keys(CATALOGUE).filter((id) => !tested.has(id))).toEqual([])
})

test('each id in a title is in the catalogue', () => {
  expect([...tested].filter((id) => !(id in CATALOGUE))).toEqual([])
})
