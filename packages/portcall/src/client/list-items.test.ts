import { describe, expect, test } from 'vitest'
import { checkListItem, labelOf } from './list-items.ts'

describe('checkListItem', () => {
  test.each([
    ['tools/list', { name: 'a' }],
    ['tools/list', { name: 'a', inputSchema: {}, outputSchema: null }],
    ['resources/list', { uri: 'a:b' }],
    ['resources/templates/list', { uriTemplate: 'a:{b}', name: 'a' }],
    ['prompts/list', { name: 'a', arguments: [{ name: 'b' }] }],
    ['other/list', { anything: 1 }],
    ['constructor', {}],
  ])('accepts an item of %s: %j', (method, item) => {
    expect(() => checkListItem(method, item)).not.toThrow()
  })

  test.each([
    ['tools/list', null, 'it is not an object'],
    ['tools/list', 'deep', 'nested too deeply'],
    ['other/list', [], 'it is not an object'],
    ['tools/list', {}, 'its name is not a string'],
    ['tools/list', { name: 'a', inputSchema: 'b' }, 'its inputSchema is invalid'],
    ['tools/list', { name: 'a', outputSchema: [] }, 'its outputSchema is invalid'],
    ['resources/list', { uri: 1 }, 'its uri is not a string'],
    ['resources/list', { uri: 'a:b', name: {} }, 'its name is invalid'],
    ['resources/templates/list', { uri: 'a:b' }, 'its uriTemplate is not a string'],
    ['prompts/list', { name: 'a', arguments: {} }, 'its arguments is invalid'],
    ['prompts/list', { name: 'a', arguments: [{}] }, 'its arguments is invalid'],
  ])('rejects an item of %s: %j', (method, item, message) => {
    expect(() => checkListItem(method, item)).toThrow(message)
  })
})

test('labelOf names an item by its name or URI', () => {
  expect([{ name: 'a' }, { uri: 'b' }, { name: 1, uriTemplate: 'c' }, 'd', {}, null].map(labelOf)).toEqual([
    '"a"',
    '"b"',
    '"c"',
    '"d"',
    'an item without a name',
    'an item without a name',
  ])
})
