import { describe, expect, test } from 'vitest'
import { MetaKey } from '../protocol/meta.ts'
import { LATEST_LEGACY, MODERN_VERSIONS, REVISIONS } from '../protocol/revisions.ts'
import { chooseRevision, isModern } from './negotiate.ts'

const legacy = REVISIONS.filter(({ era }) => era === 'legacy')
const envelope = { _meta: { [MetaKey.protocolVersion]: '2026-07-28', [MetaKey.clientCapabilities]: {} } }

describe('the revision of a session', () => {
  test.each(legacy)('$version is answered with itself', (revision) => {
    expect(chooseRevision(revision.version)).toBe(revision)
  })

  test.each(['2026-07-28', '1999-01-01', '', 'constructor', undefined, null, 7, {}])(
    '%j is answered with the newest legacy one',
    (requested) => {
      expect(chooseRevision(requested)).toBe(LATEST_LEGACY)
    },
  )
})

describe('the era of a message', () => {
  test('an envelope is modern, whatever the header says', () => {
    expect(isModern({ method: 'tools/list', params: envelope })).toBe(true)
    expect(isModern({ method: 'tools/list', params: envelope }, '2025-06-18')).toBe(true)
    expect(isModern({ method: 'initialize', params: envelope })).toBe(true)
  })

  test('initialize without an envelope is legacy, also when it asks for a version of the other era', () => {
    expect(isModern({ method: 'initialize', params: { protocolVersion: '2026-07-28' } })).toBe(false)
    expect(isModern({ method: 'initialize', params: {} }, MODERN_VERSIONS[0])).toBe(false)
  })

  test('a header decides where there is no envelope: legacy for legacy versions, modern for all others', () => {
    for (const { version } of legacy) expect(isModern({ method: 'tools/list' }, version)).toBe(false)
    expect(isModern({ method: 'tools/list' }, '2026-07-28')).toBe(true)
    expect(isModern({ method: 'tools/list' }, '2099-01-01')).toBe(true)
  })

  test('everything else is legacy', () => {
    expect(isModern({ method: 'tools/list' })).toBe(false)
    expect(isModern({ method: 'tools/list', params: { _meta: { progressToken: 1 } } })).toBe(false)
    expect(isModern({ params: [] })).toBe(false)
  })
})
