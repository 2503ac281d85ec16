import type { JsonValue } from 'portcall/jsonrpc'
import { expect, test } from 'vitest'
import { compareForms, isLossy } from './compare.ts'

const META = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} }

test.each<[string, 'in' | 'out', JsonValue, JsonValue, boolean]>([
  [
    'a result with more members in the newest revision',
    'in',
    { result: { tools: [] } },
    { result: { tools: [], ttlMs: 0 } },
    false,
  ],
  ['a result whose member is dropped', 'in', { result: { tools: [], extra: 1 } }, { result: { tools: [] } }, true],
  [
    'a value that is unwrapped',
    'in',
    { result: { structuredContent: { result: 7 } } },
    { result: { structuredContent: 7 } },
    false,
  ],
  [
    'a request without params on the wire',
    'out',
    { method: 'tools/list' },
    { method: 'tools/list', params: { _meta: META } },
    false,
  ],
  ['a request without metadata', 'out', { params: { name: 'a' } }, { params: { name: 'a', _meta: META } }, false],
  [
    'metadata of the user that is dropped',
    'out',
    { params: {} },
    { params: { _meta: { ...META, 'example.com/trace': 1 } } },
    true,
  ],
  ['an argument that is dropped', 'out', { params: { name: 'a' } }, { params: { name: 'a', inputResponses: {} } }, true],
])('the translation of %s (%s) loses something: %s', (_name, direction, wire, newest, expected) => {
  expect(isLossy(compareForms(wire, newest), direction)).toBe(expected)
})
