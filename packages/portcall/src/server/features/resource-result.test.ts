import { expect, test } from 'vitest'
import { resourceResult } from './resource-result.ts'

const uri = 'a:b'
const options = { uri, mimeType: undefined, maxBytes: 8 }
const bytes = (): ArrayBuffer => new Uint8Array([1, 2, 3]).buffer

test.each<[string, any]>([
  ['Uint8Array', new Uint8Array([1, 2, 3])],
  ['Buffer', Buffer.from([1, 2, 3])],
  ['ArrayBuffer', bytes()],
  ['DataView of a part', new DataView(new Uint8Array([0, 1, 2, 3, 4]).buffer, 1, 3)],
  ['Int8Array', new Int8Array(bytes())],
  ['Blob', new Blob([bytes()])],
])('a handler may return bytes as %s', async (_name, value) => {
  expect(await resourceResult(value, options)).toEqual({ contents: [{ uri, blob: 'AQID' }] })
  const member = { uri: 'c:d', blob: value }
  expect(await resourceResult(member, options)).toEqual({ contents: [{ uri: 'c:d', blob: 'AQID' }] })
  if (value instanceof Blob) return
  expect(await resourceResult([member], options)).toEqual({ contents: [{ uri: 'c:d', blob: 'AQID' }] })
  expect(await resourceResult({ contents: [member] }, options)).toEqual({ contents: [{ uri: 'c:d', blob: 'AQID' }] })
})

test('a Blob of text is text, and its type is the media type', async () => {
  const blob = new Blob(['ä'], { type: 'text/markdown' })
  expect(await resourceResult(blob, options)).toEqual({ contents: [{ uri, mimeType: 'text/markdown', text: 'ä' }] })
  const mimeType = 'application/octet-stream'
  expect(await resourceResult(blob, { ...options, mimeType })).toEqual({ contents: [{ uri, mimeType, blob: 'w6Q=' }] })
})

test('a Blob is not larger than a stream may be', async () => {
  await expect(resourceResult(new Blob(['123456789']), options)).rejects.toThrow(RangeError)
})
