import { expect, test } from 'vitest'
import { secretSamples } from '../../test-kit/secret-samples.ts'
import { redactSecrets } from './redact.ts'

const redact = redactSecrets()

test('200 secrets are removed, wherever they are', () => {
  const samples = secretSamples()
  expect(samples).toHaveLength(200)
  const leaked = samples.filter(({ value, secret }) => JSON.stringify(redact(value)).includes(secret))
  expect(leaked).toEqual([])
})

test('what is not a secret stays', () => {
  const value = {
    path: '/home/ada/notes.txt',
    query: 'basic knowledge about tokens and keys',
    id: 'a3bb189e-8bf9-3888-9912-ace4e6543002',
    url: 'https://api.example.com/v1/users?page=2',
    count: 3,
    nested: [{ monkey: 'banana', ok: true, none: null }],
  }
  expect(redact(value)).toEqual(value)
})

test('fields and patterns can be added', () => {
  const custom = redactSecrets({ fields: ['Patient-Id'], patterns: [/PN-(\d+)/] })
  expect(custom({ patient_id: 'x', text: 'PN-123 and PN-456' })).toEqual({
    patient_id: '[redacted]',
    text: '[redacted] and [redacted]',
  })
})

test('a value that is nested too deep is removed, and long text takes little time', () => {
  let deep: unknown = 'secret words'
  for (let n = 0; n < 5000; n++) deep = [deep]
  expect(JSON.stringify(redact(deep))).not.toContain('secret words')
  for (const text of [
    'a'.repeat(50_000),
    'key-'.repeat(10_000),
    'A1b'.repeat(20_000),
    'password '.repeat(5000),
    'x://'.repeat(10_000),
  ])
    redact(text)
})
