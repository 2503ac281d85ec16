import { expect, test } from 'vitest'
import { GATEWAY_KINDS } from '../policy/item-kinds.ts'
import { checkItems } from './check-item.ts'

const check = (item: object): unknown =>
  checkItems([item], { info: GATEWAY_KINDS.tool, server: 's', hasWebhook: false, onEvent: () => {} })[0]

test.each<[input: object, offered: unknown]>([
  [{}, { type: 'object' }],
  [{ inputSchema: null }, { type: 'object' }],
  [{ inputSchema: {} }, { type: 'object' }],
  [{ inputSchema: { type: null } }, { type: 'object' }],
  [{ inputSchema: { properties: { a: {} } } }, { type: 'object', properties: { a: {} } }],
  [{ inputSchema: { anyOf: [{}] } }, { type: 'object', anyOf: [{}] }],
  [{ inputSchema: { type: 'object' } }, { type: 'object' }],
])('the arguments of a tool with %j are an object', (input, offered) => {
  expect(check({ name: 't', ...input })).toEqual({ name: 't', inputSchema: offered })
})

test.each([{ type: 'string' }, { type: ['object'] }, [], 'object', true, 7])(
  'a tool with the input schema %j is left out',
  (inputSchema) => {
    expect(check({ name: 't', inputSchema })).toBeUndefined()
  },
)
