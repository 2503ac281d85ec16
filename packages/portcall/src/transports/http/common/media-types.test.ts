import { expect, test } from 'vitest'
import { isJson, parseAccept } from './media-types.ts'

test.each([
  [undefined, true, true],
  ['*/*', true, true],
  ['application/json, text/event-stream', true, true],
  ['text/event-stream,application/json;q=0.5', true, true],
  ['Application/JSON', true, false],
  ['text/event-stream', false, true],
  ['text/*', false, true],
  ['application/json;q=0, */*', false, true],
  ['text/html, application/xhtml+xml', false, false],
  ['application/json;q=0', false, false],
  ['', false, false],
  [';;,,=', false, false],
])('Accept: %s', (accept, json, events) => {
  expect(parseAccept(accept)).toEqual({ json, events })
})

test.each([
  ['application/json', true],
  ['application/json;charset=UTF-8', true],
  ['application/json ; charset="utf-8"', true],
  ['application/json; charset=utf-16', false],
  ['application/json; boundary=x', false],
  ['text/plain', false],
  ['text/plain;application/json', false],
  ['application/jsonx', false],
  ['', false],
  [undefined, false],
])('Content-Type: %s', (type, json) => {
  expect(isJson(type)).toBe(json)
})
