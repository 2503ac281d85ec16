import { expect, test } from 'vitest'
import { addRelease, notesOf } from './changelog.mjs'

const BEFORE = '# Changelog\n\nIntroduction.\n\n## 0.1.0\n\n### Added\n\n- Everything.\n'
const changeset = (type, summary, name = 'portcall') => ({ summary, releases: [{ name, type }] })

test('a release is added in front of the others, its changes sorted by kind', () => {
  const changesets = [
    changeset('patch', 'A fix.'),
    changeset('minor', 'A feature.\n\nIts details.'),
    changeset('minor', 'Elsewhere.', 'other'),
  ]
  const after = addRelease(BEFORE, { name: 'portcall', newVersion: '0.2.0' }, changesets)
  const section = '## 0.2.0\n\n### Added and changed\n\n- A feature.\n\n  Its details.\n\n### Fixed\n\n- A fix.\n\n'
  expect(after).toBe(BEFORE.replace('## 0.1.0', `${section}## 0.1.0`))
  expect(notesOf(after, '0.2.0')).toBe(section.slice('## 0.2.0'.length).trim())
})

test('the notes of a version end at the next one, and are empty if there are none', () => {
  expect(notesOf(BEFORE, '0.1.0')).toBe('### Added\n\n- Everything.')
  expect(notesOf(BEFORE, '0.1')).toBe('')
})
