import { expect, test } from 'vitest'
import { ResponseReader } from './response-reader.ts'

const BODY = '{"grüezi":"☀"}'
const LENGTH = Buffer.byteLength(BODY)
const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`

const RESPONSES = {
  'with a length': `HTTP/1.1 200 OK\r\nContent-Length: ${LENGTH}\r\n\r\n${BODY}`,
  'in chunks': `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunk('{"grü')}${chunk('ezi":"☀"}')}0\r\n\r\n`,
} as const

for (const [title, response] of Object.entries(RESPONSES)) {
  test(`a response ${title} is read, wherever it is split, and the next one too`, () => {
    const bytes = Buffer.from(response)
    for (let at = 1; at < bytes.length; at++) {
      const reader = new ResponseReader()
      for (let repetition = 0; repetition < 2; repetition++) {
        expect(reader.push(bytes.subarray(0, at))).toBeUndefined()
        expect(reader.push(bytes.subarray(at))).toMatchObject({ status: 200, isStream: false, isLast: false })
      }
      reader.push(bytes.subarray(0, at))
      expect(String(reader.push(bytes.subarray(at))?.body)).toBe(BODY)
    }
  })
}

test('the end of the connection completes a response without a length, and no other', () => {
  const reader = new ResponseReader()
  expect(reader.end()).toBeUndefined()
  expect(reader.push(Buffer.from(`HTTP/1.1 503 Busy\r\nConnection: close\r\n\r\n${BODY}`))).toBeUndefined()
  const response = reader.end()
  expect([response?.status, response?.isLast, String(response?.body)]).toEqual([503, true, BODY])
  reader.push(Buffer.from(RESPONSES['in chunks']).subarray(0, 60))
  expect(reader.end()).toBeUndefined()
})

test('what is not HTTP is an error', () => {
  expect(() => new ResponseReader().push(Buffer.from('SSH-2.0\r\n\r\n'))).toThrow('not an HTTP response')
})
