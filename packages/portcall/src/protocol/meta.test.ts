import { describe, expect, test } from 'vitest'
import { isModern, MetaKey } from './meta.ts'
import { MODERN_VERSIONS, REVISIONS } from './revisions.ts'

const legacy = REVISIONS.filter(({ era }) => era === 'legacy')
const params = { _meta: { [MetaKey.protocolVersion]: '2026-07-28', [MetaKey.clientCapabilities]: {} } }

describe('the era of a message', () => {
  test('request metadata means modern, whatever the header is', () => {
    expect(isModern({ method: 'tools/list', params })).toBe(true)
    expect(isModern({ method: 'tools/list', params }, '2025-06-18')).toBe(true)
    expect(isModern({ method: 'initialize', params })).toBe(true)
  })

  test('initialize without request metadata is legacy, even if it requests a modern version', () => {
    expect(isModern({ method: 'initialize', params: { protocolVersion: '2026-07-28' } })).toBe(false)
    expect(isModern({ method: 'initialize', params: {} }, MODERN_VERSIONS[0])).toBe(false)
  })

  test('without request metadata the header decides: legacy for legacy versions, modern for all others', () => {
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
