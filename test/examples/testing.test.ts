import { describe, expect, test } from 'vitest'
import { testAdd, testChanges, testEverywhere } from '../../examples/testing.ts'
import { cutConnection } from '../../examples/testing-faults.ts'
import { recordAndPlay } from '../../examples/testing-recordings.ts'
import { testPatience, testStore } from '../../examples/testing-time.ts'

test('the test kit works as docs/tools/testing.md describes', async () => {
  await testAdd()
  await testEverywhere()
  await testChanges()
  const recording = await recordAndPlay()
  expect(
    recording
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line).direction),
  ).toEqual(['sent', 'received'])
  expect(await cutConnection()).toMatchObject({ code: 'CONNECTION_LOST', retryable: true })
})

test('a fake clock advances time', testPatience)

describe('the contract of stores', () => testStore(test))
