import { afterEach, expect, test, vi } from 'vitest'
import { parseHeaderFlags, readHeaderFlags } from './flag-values.ts'

afterEach(() => vi.unstubAllEnvs())

const HEADERS: readonly (readonly [flag: string, header: string, value: string])[] = [
  ['Authorization:${AUTH_HEADER}', 'Authorization', 'Bearer t'],
  ['Authorization: ${AUTH_HEADER}', 'Authorization', 'Bearer t'],
  ['Authorization=Bearer ${TOKEN}', 'Authorization', 'Bearer t'],
  ['Authorization: Bearer ${env:TOKEN}', 'Authorization', 'Bearer t'],
  ['X: ${TOKEN}${TOKEN}', 'X', 'tt'],
  ['X: ${NOT_SET:-other}', 'X', 'other'],
  ['X: ${EMPTY:-other}', 'X', 'other'],
  ['X: ${NOT_SET:-}', 'X', ''],
  ['X: ${EMPTY}', 'X', ''],
  ['X: $TOKEN ${} ${1} {TOKEN} ${{TOKEN}}', 'X', '$TOKEN ${} ${1} {TOKEN} ${{TOKEN}}'],
  ['X: ${NESTED}', 'X', '${TOKEN}'],
]

test.each(HEADERS)('%s', (flag, header, value) => {
  vi.stubEnv('TOKEN', 't')
  vi.stubEnv('AUTH_HEADER', 'Bearer t')
  vi.stubEnv('EMPTY', '')
  vi.stubEnv('NESTED', '${TOKEN}')
  expect(readHeaderFlags([flag])).toEqual({ [header]: value })
})

test('a variable that is not set is an error, and a file of a host keeps it', () => {
  expect(() => readHeaderFlags(['Authorization: ${NOT_SET}'])).toThrow(
    '--header Authorization needs the variable NOT_SET, which is not set',
  )
  expect(parseHeaderFlags(['Authorization: ${NOT_SET}'])).toEqual({ Authorization: '${NOT_SET}' })
})
