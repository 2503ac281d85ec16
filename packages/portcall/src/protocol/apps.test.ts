import { describe, expect, expectTypeOf, test } from 'vitest'
import { createServer } from '../server/server.ts'
import { type AppTools, isViewMimeType, isVisibleTo, mapViewUris, readToolView, readViewMeta, rendersViews } from './apps.ts'

const URI = 'ui://chart/main?v=1'

describe('the view of a tool', () => {
  test.each<[object | undefined, string | undefined]>([
    [{ ui: { resourceUri: URI } }, URI],
    [{ 'ui/resourceUri': URI }, URI],
    [{ 'openai/outputTemplate': URI }, URI],
    [{ ui: { resourceUri: URI }, 'ui/resourceUri': 'ui://old', 'openai/outputTemplate': 'ui://older' }, URI],
    [{ ui: { visibility: ['app'] }, 'ui/resourceUri': URI }, URI],
    [{ ui: null, 'ui/resourceUri': 7 }, undefined],
    [undefined, undefined],
  ])('of %j is %s', (_meta, uri) => {
    expect(readToolView({ _meta }).resourceUri).toBe(uri)
  })

  test('is renamed under each key, and nothing else is', () => {
    const meta = {
      ui: { resourceUri: 'ui://a', visibility: ['app'] },
      'ui/resourceUri': 'ui://a',
      'openai/outputTemplate': 'ui://a',
      other: 1,
    }
    expect(mapViewUris(meta, (uri) => `${uri}/b`)).toEqual({
      ui: { resourceUri: 'ui://a/b', visibility: ['app'] },
      'ui/resourceUri': 'ui://a/b',
      'openai/outputTemplate': 'ui://a/b',
      other: 1,
    })
    const without = { ui: { visibility: ['app'] }, other: 1 }
    expect(mapViewUris(without, () => 'ui://b')).toBe(without)
  })
})

test.each<[object | undefined, model: boolean, app: boolean]>([
  [undefined, true, true],
  [{ ui: {} }, true, true],
  [{ ui: { visibility: null } }, true, true],
  [{ ui: { visibility: ['model', 'app'] } }, true, true],
  [{ ui: { visibility: ['app'] } }, false, true],
  [{ ui: { visibility: 'app' } }, false, true],
  [{ ui: { visibility: ['model'] } }, true, false],
  [{ ui: { visibility: ['model', 'x'] } }, true, false],
  [{ ui: { visibility: ['x'] } }, false, false],
  [{ ui: { visibility: [] } }, false, false],
  [{ 'openai/visibility': 'private' }, false, true],
  [{ 'openai/widgetAccessible': false }, true, false],
  [{ 'openai/visibility': 'private', ui: { visibility: ['model'] } }, true, false],
])('a tool with %j is visible to the model: %s, to apps: %s', (_meta, model, app) => {
  expect([isVisibleTo({ _meta }, 'model'), isVisibleTo({ _meta }, 'app')]).toEqual([model, app])
})

test.each<[unknown, boolean]>([
  ['text/html;profile=mcp-app', true],
  ['text/html; profile="mcp-app"', true],
  ['TEXT/HTML;charset=utf-8; Profile=mcp-app', true],
  ['text/html', false],
  ['text/html;profile=mcp-apps', false],
  ['text/plain;profile=mcp-app', false],
  ['text/html+skybridge', false],
  [undefined, false],
])('%s is the media type of views: %s', (mimeType, expected) => {
  expect(isViewMimeType(mimeType)).toBe(expected)
  const capabilities = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/plain', mimeType] } } }
  expect(rendersViews(capabilities)).toBe(expected)
})

test('a client renders views if it names their media type, under either id', () => {
  const settings = { mimeTypes: ['text/html;profile=mcp-app'] }
  expect(rendersViews({ extensions: { 'io.modelcontextprotocol/apps': settings } })).toBe(true)
  expect(rendersViews({ extensions: { 'io.modelcontextprotocol/ui': {} } })).toBe(false)
  expect(rendersViews({ extensions: {} })).toBe(false)
  expect(rendersViews({})).toBe(false)
})

test('the metadata of a view is read without members of another type', () => {
  const ui = {
    csp: {
      connectDomains: ['https://a.example', 7],
      resourceDomains: 'https://b.example',
      connect_domains: ['https://c.example'],
    },
    permissions: { camera: {}, microphone: true, geolocation: false, clipboardWrite: null, other: {} },
    domain: 7,
    prefersBorder: false,
  }
  expect(readViewMeta({ _meta: { ui } })).toEqual({
    csp: { connectDomains: ['https://a.example'] },
    permissions: { camera: {}, microphone: {} },
    prefersBorder: false,
  })
  expect(readViewMeta({})).toEqual({})
})

test('the types of the tools of a server', () => {
  const output = {
    type: 'object',
    properties: { bars: { type: 'array', items: { type: 'number' } } },
    required: ['bars'],
  } as const
  const server = createServer({ name: 'charts', version: '1' })
    .tool('draw', { output }, () => ({ bars: [1] }))
    .tool('note', {}, () => 'noted')
  type Tools = AppTools<typeof server>
  expectTypeOf<Tools['draw']['output']>().toExtend<{ bars: number[] }>()
  expectTypeOf<Tools['note']['output']>().toEqualTypeOf<undefined>()
  expectTypeOf<keyof Tools>().toEqualTypeOf<'draw' | 'note'>()
})
