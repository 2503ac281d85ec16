import { expect, test } from 'vitest'
import { titleFaults } from './commit-titles.mjs'

test.each([
  'fix(auth): replace a registration the server has forgotten',
  'feat!: pass the server to middleware',
  'docs: process examples in order',
  'test(command-line): need no network',
  'feat(cli): list, receive and subscribe to events',
])('%s is a title', (title) => expect(titleFaults(title)).toEqual([]))

test.each([
  ['x', 'not "type(scope): verb …"'],
  ['fix something', 'not "type(scope): verb …"'],
  ['fix(auth): Replace a registration', 'not "type(scope): verb …"'],
  ['fix(auth): replaced a registration', '"replaced" is not imperative'],
  ['fix(auth): replacing a registration', '"replacing" is not imperative'],
  ['fix(auth): replaces a registration', '"replaces" is not imperative'],
  ['feat(cli): listed, received', '"listed" is not imperative'],
  ["Merge branch 'main' into work", 'not "type(scope): verb …"'],
  [`fix: ${'replace '.repeat(10)}`, '85 characters'],
])('%s is not', (title, fault) => expect(titleFaults(title)).toContain(fault))
