import { expect, test } from 'vitest'
import { parseObject } from '../../portcall/src/jsonrpc/parse-object.ts'
import { toBase64 } from './base64.ts'
import { concatBytes } from './bytes.ts'
import { parseJson } from './parse-json.ts'

test.each([
  ['{"a":1}', { a: 1 }, { a: 1 }],
  ['[1]', [1], undefined],
  ['null', null, undefined],
  ['"text"', 'text', undefined],
  ['', undefined, undefined],
  ['{"a":', undefined, undefined],
  [undefined, undefined, undefined],
])('%j', (text, value, object) => {
  expect(parseJson(text)).toEqual(value)
  expect(parseObject(text)).toEqual(object)
})

test.each([0, 1, 2, 3, 0x8000, 0x8001, 300_000])('%d bytes in base64', (length) => {
  const bytes = Uint8Array.from({ length }, (_, at) => at % 251)
  expect(toBase64(bytes)).toBe(Buffer.from(bytes).toString('base64'))
  expect(toBase64('ä'.repeat(length % 1000))).toBe(Buffer.from('ä'.repeat(length % 1000)).toString('base64'))
  const chunks = [bytes.subarray(0, 2), bytes.subarray(2, 2), bytes.subarray(2)]
  expect(Buffer.from(concatBytes(chunks, length)).equals(bytes)).toBe(true)
})
