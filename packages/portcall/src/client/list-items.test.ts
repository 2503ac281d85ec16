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
    ['tools/list', null, 'not an object'],
    ['tools/list', 'deep', 'nested too deeply'],
    ['other/list', [], 'not an object'],
    ['tools/list', {}, 'invalid name'],
    ['tools/list', { name: 'a', inputSchema: 'b' }, 'invalid inputSchema'],
    ['tools/list', { name: 'a', outputSchema: [] }, 'invalid outputSchema'],
    ['resources/list', { uri: 1 }, 'invalid uri'],
    ['resources/templates/list', { uri: 'a:b' }, 'invalid uriTemplate'],
    ['prompts/list', { name: 'a', arguments: 1 }, 'invalid arguments'],
  ])('rejects an item of %s: %j', (method, item, message) => {
    expect(() => checkListItem(method, item)).toThrow(message)
  })
})

test('labelOf names an item by its name or URI', () => {
  expect([{ name: 'a' }, { uri: 'b' }, { uriTemplate: 'c' }, 'd', {}, undefined].map(labelOf)).toEqual([
    '"a"',
    '"b"',
    '"c"',
    '"d"',
    'an item',
    'an item',
  ])
})
