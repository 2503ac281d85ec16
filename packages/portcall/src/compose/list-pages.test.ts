import { expect, test } from 'vitest'
import type { Middleware } from '../jsonrpc/exchange.ts'
import { isObject, type JsonObject, type Request, success } from '../jsonrpc/message.ts'
import { codeMode } from './code/code-mode.ts'
import { toolSearch } from './search/tool-search.ts'
import { transform } from './transforms/apply-transforms.ts'
import { hide } from './transforms/hide.ts'

const LAYERS: { readonly [layer: string]: Middleware } = {
  toolSearch: toolSearch(),
  codeMode: codeMode(),
  transform: transform(hide('hidden*')),
}

const request: Request = {
  jsonrpc: '2.0',
  id: 7,
  method: 'tools/list',
  params: { cursor: 'of the caller', _meta: { progressToken: 'token', trace: 'kept' } },
}

/** Lists tools through a middleware. Returns the requests that reach the server, and the names that it lists. */
async function list(layer: Middleware, pageOf: (cursor: unknown) => JsonObject) {
  const seen: { request: Request; hasParamHeaders: boolean }[] = []
  const context = { signal: new AbortController().signal, notify: () => {}, readParamHeader: () => 'value' }
  const response = await layer(request, context, async (inner, { readParamHeader }) => {
    seen.push({ request: inner, hasParamHeaders: readParamHeader !== undefined })
    return success(inner.id, pageOf(inner.params?.cursor))
  })
  const tools = 'result' in response && Array.isArray(response.result.tools) ? response.result.tools.filter(isObject) : []
  return { seen, response, tools }
}

test.each(Object.keys(LAYERS))('%s lists all pages without what belongs to the request of the caller', async (name) => {
  const pageOf = (cursor: unknown): JsonObject =>
    cursor === undefined ? { tools: [{ name: 'a' }], nextCursor: '2', ttlMs: 1 } : { tools: [{ name: 'b' }], ttlMs: 2 }
  const { seen, response } = await list(LAYERS[name] as Middleware, pageOf)
  const _meta = { trace: 'kept' }
  expect(seen.map(({ request: { id, method, params } }) => ({ id, method, params }))).toEqual([
    { id: 7, method: 'tools/list', params: { _meta } },
    { id: 7, method: 'tools/list', params: { cursor: '2', _meta } },
  ])
  expect(seen.some(({ hasParamHeaders }) => hasParamHeaders)).toBe(false)
  expect(response).toMatchObject({ id: 7, result: { ttlMs: 2 } })
  expect(response).not.toHaveProperty('result.nextCursor')
})

test.each(Object.keys(LAYERS))('%s ends at a list that repeats itself', async (name) => {
  const { seen } = await list(LAYERS[name] as Middleware, () => ({ tools: [{ name: 'a' }], nextCursor: 'same' }))
  expect(seen).toHaveLength(2)
})
