import { describe, expect, it } from 'vitest'
import { anchorsOf, fencesOf, linksOf } from './markdown.mjs'

const PAGE = [
  '# The `one` title: here',
  '<!-- from: examples/a.ts#b -->',
  '```ts',
  'const a = 1 // [no](link)',
  '```',
  'See [this](./x.md#y), [that](https://example.com) and `[code](z.md)`.',
  '```sh',
  'npm start',
  '```',
].join('\n')

describe('Markdown', () => {
  it('finds fences, their language, their origin and their line', () => {
    const [first, second] = fencesOf(PAGE)
    expect(first).toMatchObject({ from: 'examples/a.ts#b', language: 'ts', code: 'const a = 1 // [no](link)\n', line: 3 })
    expect(PAGE.slice(first.codeStart)).toMatch(/^const a/)
    expect(second).toMatchObject({ from: undefined, language: 'sh', line: 7 })
  })

  it('finds links that stay in the repository, outside code', () => {
    expect(linksOf(PAGE)).toEqual(['./x.md#y'])
  })

  it('makes anchors as GitHub does', () => {
    expect([...anchorsOf(PAGE)]).toEqual(['the-one-title-here'])
  })
})
