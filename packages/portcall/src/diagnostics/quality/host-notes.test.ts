import { expect, test } from 'vitest'
import type { Tool } from '../../protocol/types.ts'
import { type HostNote, hostNotes } from './host-notes.ts'
import { MEASURED_HOSTS } from './measured-hosts.ts'

const tool = (name: string, inputSchema: object = {}, more: object = {}): Tool => ({
  name,
  inputSchema: { type: 'object', ...inputSchema },
  ...more,
})
const noteOn = (rule: string, ...tools: Tool[]): HostNote | undefined => hostNotes({ tools }).find((note) => note.rule === rule)

test('a plain tool has no notes', () => {
  expect(hostNotes({ tools: [tool('search', { properties: { query: { type: 'string' } } })] })).toEqual([])
})

test('a host that adds an argument is named with the tools whose schema forbids it', () => {
  const closed = [tool('a', { additionalProperties: false }), tool('b', { unevaluatedProperties: false })]
  expect(noteOn('added-argument', tool('open'), ...closed)).toMatchObject({
    message: 'Gemini CLI adds wait_for_previous to the arguments of calls, which these schemas forbid',
    hosts: ['Gemini CLI'],
    tools: ['a', 'b'],
  })
})

test('tools with an output schema have a note that says which half of their results each host shows', () => {
  const note = noteOn('result-halves', tool('text'), tool('total', {}, { outputSchema: { type: 'object' } }))
  expect(note?.tools).toEqual(['total'])
  for (const { host, withStructured } of MEASURED_HOSTS) {
    const halves = (note?.message ?? '').split('; ')
    const hidden = withStructured.parts.length === 1 ? withStructured.parts[0] : undefined
    expect(
      halves.some((half) => half.includes(host) && half.includes('not the text')),
      host,
    ).toBe(hidden === 'structured')
    expect(
      halves.some((half) => half.includes(host) && half.includes('not structuredContent')),
      host,
    ).toBe(hidden === 'text')
    expect(
      halves.some((half) => half.includes(host) && half.includes('no images')),
      host,
    ).toBe(!withStructured.image)
  }
})

test('keywords that a host removes are named if a tool uses them', () => {
  const schema = {
    properties: { at: { type: 'string', format: 'date', pattern: '^2' }, limit: { type: 'integer', enum: [1, 2] } },
  }
  expect(noteOn('keywords-hidden', tool('find', schema))).toMatchObject({
    message: 'Codex removes pattern, format from the schemas of arguments',
    tools: ['find'],
  })
})

test('names with - have a note', () => {
  expect(noteOn('hyphen-replaced', tool('get-user'), tool('get_user'))).toMatchObject({ hosts: ['Codex'], tools: ['get-user'] })
})
