import { expect, test } from 'vitest'
import { closestName } from './closest-name.ts'

const NAMES = ['port', 'path', 'host', 'allowedHosts', 'description']

test.each([
  ['prot', 'port'],
  ['Port', 'port'],
  ['pot', 'port'],
  ['hst', 'host'],
  ['allowedHost', 'allowedHosts'],
  ['alowedHsots', 'allowedHosts'],
  ['descripton', 'description'],
  ['color', undefined],
  ['', undefined],
  ['o', undefined],
])('%j is like %j', (word, name) => {
  expect(closestName(word, NAMES)).toBe(name)
})
