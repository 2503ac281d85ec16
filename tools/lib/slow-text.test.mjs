import { expect, test } from 'vitest'
import { slowText } from './slow-text.mjs'

test.each([
  ['\\s*\\n\\s*', 'g'],
  ['[_-]+$', ''],
  ['^\\/+|\\/+$', 'g'],
  ['\\{([^}]*)\\}', 'g'],
  ['#.*$', ''],
  ['<title[^>]*>', 'i'],
  ['\\b[\\w-]+\\.id\\.[\\w-]{16,}', 'g'],
  ['\\b(?:one|key)[_.-](?=[\\w.-]*\\d)[\\w.-]{16,}', 'g'],
  ['\\beyJ[\\w-]{8,}\\.[\\w-]{4,}', 'g'],
  ['("(?:[^"\\\\]|\\\\.)*")(\\s*:)?|(-?\\d+)', 'g'],
  ['^\\S*(Error|Exception)\\b.*: ', ''],
  ['^(\\s*)\\[\\[?\\s*([^\\]]+?)\\s*\\]\\]?\\s*(?:#.*)?$', ''],
  ['^(?:\\w+,?)+$', ''],
])('/%s/ is slow', (source, flags) => {
  expect(slowText({ source, flags })).toBeDefined()
})

test.each([
  ['\\s+', 'g'],
  ['(?<![_-])[_-]+$', ''],
  ['^\\/+|(?<!\\/)\\/+$', 'g'],
  ['\\{([^{}]*)\\}', 'g'],
  ['#.*$', 's'],
  ['^(\\w+,)*$', ''],
])('/%s/ is not', (source, flags) => {
  expect(slowText({ source, flags })).toBeUndefined()
})
