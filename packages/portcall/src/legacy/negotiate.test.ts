import { describe, expect, test } from 'vitest'
import { LATEST_LEGACY, REVISIONS } from '../protocol/revisions.ts'
import { chooseRevision } from './negotiate.ts'

const legacy = REVISIONS.filter(({ era }) => era === 'legacy')

describe('the revision of a session', () => {
  test.each(legacy)('$version is accepted', (revision) => {
    expect(chooseRevision(revision.version)).toBe(revision)
  })

  test.each(['2026-07-28', '1999-01-01', '', 'constructor', undefined, null, 7, {}])(
    '%j negotiates the latest legacy revision',
    (requested) => {
      expect(chooseRevision(requested)).toBe(LATEST_LEGACY)
    },
  )
})
