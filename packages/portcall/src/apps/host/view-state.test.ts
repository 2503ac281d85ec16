import { expect, test } from 'vitest'
import { readSavedState, stateScript } from './view-state.ts'

const STATE = { hash: '', fields: [['#note', 'text']], open: [], scroll: [] }

test('reads what the script sends, and nothing else', () => {
  expect(readSavedState(STATE)).toEqual(STATE)
  for (const wrong of [undefined, null, 'text', [], {}, { ...STATE, fields: 'all' }, { ...STATE, scroll: undefined }])
    expect(readSavedState(wrong)).toBeUndefined()
})

test('drops a state that is too large', () => {
  expect(readSavedState({ ...STATE, fields: [['#note', 'x'.repeat(999_000)]] })).toBeDefined()
  expect(readSavedState({ ...STATE, fields: [['#note', 'x'.repeat(1_000_001)]] })).toBeUndefined()
})

test('a state cannot end the script that restores it', () => {
  const script = stateScript({ ...STATE, fields: [['#note', '</script><script>alert(1)</script><!--']] })
  expect(script).not.toMatch(/<\/script|<!--/)
  expect(stateScript(undefined).endsWith('(undefined)')).toBe(true)
})
