import fc from 'fast-check'
import { expect, test } from 'vitest'
import { growthOf } from '../../../test-kit/growth.ts'
import { type JsonObject, type Success, stringifyMessage } from '../../jsonrpc/message.ts'
import { parseUniqueNames } from '../policy/duplicate-members.ts'
import { keepTexts, parseWithTexts } from './result-texts.ts'

const PADDING = 'x'.repeat(5000)
const results = fc.record(
  {
    content: fc.array(fc.jsonValue()),
    structuredContent: fc.jsonValue(),
    contents: fc.jsonValue(),
    messages: fc.array(fc.jsonValue()),
    _meta: fc.dictionary(fc.string(), fc.jsonValue()),
    isError: fc.boolean(),
  },
  { requiredKeys: [] },
)

/** Parses the text of a response as a gateway does, and returns it as the gateway sends it. */
function passOn(text: string): string {
  const message = parseWithTexts(text) as Success
  keepTexts(message.result)
  return stringifyMessage(message)
}

test('a response as JSON.stringify writes it stays the same', () => {
  fc.assert(
    fc.property(results, fc.integer(), (result, id) => {
      const text = JSON.stringify({ jsonrpc: '2.0', id, result: { ...result, padding: PADDING } })
      expect(passOn(text)).toBe(text)
    }),
  )
})

test('a response in any other form stays the same value, and is one line', () => {
  const name = fc.constantFrom('content', 'structuredContent', 'padding', 'result', 'id')
  const value = fc.oneof(fc.constantFrom('[1.0, 2]', '{"a" :1}', '[{"id":1,"id":2}]', '"\\"]}"', '{"result":{}}'), fc.json())
  const members = fc.array(fc.tuple(name, value, fc.constantFrom('', ' ', '\n')), { maxLength: 6 })
  fc.assert(
    fc.property(members, members, (inside, around) => {
      const write = (list: typeof inside): string =>
        list.map(([name, text, space]) => `"${name}":${space}${text}${space},`).join('')
      const result = `{${write(inside)}"padding":"${PADDING}"}`
      const text = `{${write(around)}"jsonrpc":"2.0","result":${result},"id":1}`
      const sent = passOn(text)
      expect(JSON.parse(sent)).toEqual({ jsonrpc: '2.0', id: 1, result: (JSON.parse(text) as JsonObject).result })
      expect(Object.keys(JSON.parse(sent))).toEqual(['jsonrpc', 'id', 'result'])
      expect(sent).not.toMatch(/[\r\n]/)
      expect(() => parseUniqueNames(sent)).not.toThrow()
    }),
    { numRuns: 500 },
  )
})

test('of members with the same name, the last is sent, as it was read', () => {
  const text = (block: string): string => `{"jsonrpc":"2.0","id":1,"result":{"content":[${block}],"padding":"${PADDING}"}}`
  expect(passOn(text('{"type":"text","text":"a:","te\\u0078t":"b"}'))).toBe(text('{"type":"text","text":"b"}'))
  const unique = text('{"type":"te\\u0078t","text":"a: \\"text\\":1.0"}')
  expect(passOn(unique)).toBe(unique)
})

test.each([
  ['of quotes', (size: number) => '"'.repeat(size)],
  ['of backslashes', (size: number) => '\\'.repeat(size)],
  ['of brackets', (size: number) => '[{'.repeat(size / 2)],
])('takes linear time for a text %s', (_what, fill) => {
  const textOf = (size: number): string =>
    JSON.stringify({ jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: fill(size) }] } })
  expect(growthOf(passOn, textOf)).toBeLessThan(3)
})
