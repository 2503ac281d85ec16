import fc from 'fast-check'
import { parse } from 'jsonc-parser'
import { expect, test } from 'vitest'
import { jsonEditor } from './edit-json.ts'

const location = { key: 'mcpServers', name: 'new' }
const entry = { command: 'node', args: ['a.js'], env: { A: 'b' } }

/** Text between tokens: whitespace and comments. */
const trivia = fc.constantFrom('', ' ', '\n', '\n  ', '\n\t', ' // a comment, with "quotes"\n', ' /* another */ ', '\r\n')
const value = fc.constantFrom('1', '"x"', '{}', '{ "command": "a" }', '[\n1, // one\n2\n]', 'null')
const member = fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd'), value, before: trivia, middle: trivia, after: trivia })
type Member = typeof member extends fc.Arbitrary<infer M> ? M : never
const object = (members: fc.Arbitrary<string[]>): fc.Arbitrary<string> =>
  fc
    .record({ members, trailing: fc.boolean(), end: trivia })
    .map(({ members: all, trailing, end }) => `{${all.join(',')}${trailing && all.length > 0 ? ',' : ''}${end}}`)
const toText = ({ name, value: text, before, middle, after }: Member): string => `${before}"${name}":${middle}${text}${after}`
const members = fc.uniqueArray(member, { selector: ({ name }) => name, maxLength: 4 })
const servers = object(members.map((all) => all.map(toText)))
const file = fc
  .tuple(members, fc.option(servers), fc.nat(4), trivia, trivia)
  .chain(([all, serversText, index, before, after]) => {
    const texts = all.map(toText)
    if (serversText !== null) texts.splice(index, 0, `${before}"mcpServers": ${serversText}`)
    return object(fc.constant(texts)).map((text) => before + text + after)
  })

const read = (text: string): any => parse(text, [], { allowTrailingComma: true })
const comments = (text: string): string[] => text.match(/\/\/.*|\/\*.*?\*\//g) ?? []

test('adding an entry changes nothing else, and removing it restores the file', async () => {
  await fc.assert(
    fc.asyncProperty(file, async (text) => {
      const before = read(text)
      const added = await jsonEditor.put(text, location, entry)
      expect(read(added)).toEqual({ ...before, mcpServers: { ...before.mcpServers, new: entry } })
      expect(await jsonEditor.read(added, location)).toEqual(entry)
      expect(comments(added).sort()).toEqual(expect.arrayContaining(comments(text).sort()))
      const removed = await jsonEditor.remove(added, location)
      expect(read(removed)).toEqual({ ...before, mcpServers: before.mcpServers ?? {} })
      expect(comments(removed)).toEqual(comments(text))
      if (before.mcpServers) expect(removed.replace(/\s+/g, '')).toBe(text.replace(/\s+/g, ''))
    }),
    { numRuns: 2000 },
  )
})

test('an existing entry is replaced in its position', async () => {
  const text = '{\n\t"mcpServers": {\n\t\t"new": { "old": 1 }, // mine\n\t\t"other": {}\n\t}\n}'
  const replaced = await jsonEditor.put(text, location, { a: 1 })
  expect(replaced).toBe('{\n\t"mcpServers": {\n\t\t"new": {\n\t\t\t"a": 1\n\t\t}, // mine\n\t\t"other": {}\n\t}\n}')
})

test('other entries are not reformatted, and comments stay with their entries', async () => {
  const text = '{\n  "mcpServers": {\n    "a": { "command": "a" }, // first\n    "b": { "command": "b" } // second\n  }\n}\n'
  const added = await jsonEditor.put(text, location, { command: 'c' })
  expect(added).toBe(text.replace('} // second', '}, // second\n    "new": {\n      "command": "c"\n    }'))
  expect(await jsonEditor.remove(added, location)).toBe(text)
  expect(await jsonEditor.remove(text, { key: 'mcpServers', name: 'b' })).toContain('// first')
})

test('a block comment may end before its line does', async () => {
  const text = '{ "mcpServers": {\n"a": 1 /* one */ }, /* two */ "b": 2 /* three */\n}'
  const added = await jsonEditor.put(text, location, entry)
  expect(read(added)).toEqual({ mcpServers: { a: 1, new: entry }, b: 2 })
})

test.each(['{', '[]', '3', '{"a" 1}'])('%s is not a configuration', async (text) => {
  await expect(jsonEditor.read(text, location)).rejects.toThrow()
})
