import fc from 'fast-check'
import { parse } from 'jsonc-parser'
import { expect, test } from 'vitest'
import { jsonEditor } from './edit-json.ts'

const place = { key: 'mcpServers', name: 'new' }
const entry = { command: 'node', args: ['a.js'], env: { A: 'b' } }

/** Text that stands between tokens: spaces, line ends and comments. */
const gap = fc.constantFrom('', ' ', '\n', '\n  ', '\n\t', ' // a comment, with "quotes"\n', ' /* another */ ', '\r\n')
const value = fc.constantFrom('1', '"x"', '{}', '{ "command": "a" }', '[\n1, // one\n2\n]', 'null')
const member = fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd'), value, before: gap, middle: gap, after: gap })
const object = (members: fc.Arbitrary<string[]>): fc.Arbitrary<string> =>
  fc
    .record({ members, trailing: fc.boolean(), end: gap })
    .map(({ members: all, trailing, end }) => `{${all.join(',')}${trailing && all.length > 0 ? ',' : ''}${end}}`)
const written = ({
  name,
  value: text,
  before,
  middle,
  after,
}: {
  name: string
  value: string
  before: string
  middle: string
  after: string
}): string => `${before}"${name}":${middle}${text}${after}`
const unique = fc.uniqueArray(member, { selector: ({ name }) => name, maxLength: 4 })
const servers = object(unique.map((all) => all.map(written)))
const file = fc.tuple(unique, fc.option(servers), fc.nat(4), gap, gap).chain(([all, inner, at, before, after]) => {
  const members = all.map(written)
  if (inner !== null) members.splice(at, 0, `${before}"mcpServers": ${inner}`)
  return object(fc.constant(members)).map((text) => before + text + after)
})

const read = (text: string): any => parse(text, [], { allowTrailingComma: true })
const comments = (text: string): string[] => text.match(/\/\/.*|\/\*.*?\*\//g) ?? []

test('an entry that is put in is there, and nothing else has changed; taken out, it is as if it had never been', async () => {
  await fc.assert(
    fc.asyncProperty(file, async (text) => {
      const before = read(text)
      const put = await jsonEditor.put(text, place, entry)
      expect(read(put)).toEqual({ ...before, mcpServers: { ...before.mcpServers, new: entry } })
      expect(await jsonEditor.read(put, place)).toEqual(entry)
      expect(comments(put).sort()).toEqual(expect.arrayContaining(comments(text).sort()))
      const removed = await jsonEditor.remove(put, place)
      expect(read(removed)).toEqual({ ...before, mcpServers: before.mcpServers ?? {} })
      expect(comments(removed)).toEqual(comments(text))
      if (before.mcpServers) expect(removed.replace(/\s+/g, '')).toBe(text.replace(/\s+/g, ''))
    }),
    { numRuns: 2000 },
  )
})

test('one that is there is replaced in its place', async () => {
  const text = '{\n\t"mcpServers": {\n\t\t"new": { "old": 1 }, // mine\n\t\t"other": {}\n\t}\n}'
  const put = await jsonEditor.put(text, place, { a: 1 })
  expect(put).toBe('{\n\t"mcpServers": {\n\t\t"new": {\n\t\t\t"a": 1\n\t\t}, // mine\n\t\t"other": {}\n\t}\n}')
})

test('a comment that ends before the line does is not the rest of it', async () => {
  const text = '{ "mcpServers": {\n"a": 1 /* one */ }, /* two */ "b": 2 /* three */\n}'
  const put = await jsonEditor.put(text, place, entry)
  expect(read(put)).toEqual({ mcpServers: { a: 1, new: entry }, b: 2 })
})

test.each(['{', '[]', '3', '{"a" 1}'])('%s is no configuration', async (text) => {
  await expect(jsonEditor.read(text, place)).rejects.toThrow()
})
