import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { CATALOGUE } from './catalogue.ts'

const folder = fileURLToPath(new URL('.', import.meta.url))
const files = readdirSync(folder).filter((name) => name.endsWith('.test.ts') && name !== 'catalogue.test.ts')
const tested = new Set(files.flatMap((name) => readFileSync(`${folder}${name}`, 'utf8').match(/\b[HMSX]\d\db?\b/g) ?? []))

test('each fault of the catalogue has a test', () => {
  expect(Object.keys(CATALOGUE).filter((id) => !tested.has(id))).toEqual([])
})

test('each id in a title is in the catalogue', () => {
  expect([...tested].filter((id) => !(id in CATALOGUE))).toEqual([])
})
