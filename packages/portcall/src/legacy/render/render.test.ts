import { describe, expect, test } from 'vitest'
import type { JsonObject, Response } from '../../jsonrpc/message.ts'
import { INVALID_ARGUMENTS } from '../../protocol/errors.ts'
import { MetaKey } from '../../protocol/meta.ts'
import { REVISIONS } from '../../protocol/revisions.ts'
import { type DowngradePlan, downgradePlan } from './downgrade-plan.ts'
import { renderError, renderNotification, renderResponse, renderResult } from './render.ts'

const PLANS = REVISIONS.map(downgradePlan) as [DowngradePlan, DowngradePlan, DowngradePlan, DowngradePlan]
const [A, B, C, D] = PLANS
const text = (value: string): JsonObject => ({ type: 'text', text: value })
const call = (result: JsonObject, plan: DowngradePlan): JsonObject =>
  renderResult('tools/call', { resultType: 'complete', ...result }, plan)
const contentOf = (block: JsonObject, plan: DowngradePlan): unknown => (call({ content: [block] }, plan).content as unknown[])[0]

describe('every legacy revision', () => {
  test.each([A, B, C, D])('$revision.version: resultType, cache hints and the reserved _meta keys are omitted', (plan) => {
    const result = {
      resultType: 'complete',
      ttlMs: 5,
      cacheScope: 'public',
      tools: [],
      _meta: { [MetaKey.serverInfo]: { name: 's', version: '1' }, traceparent: 't' },
    }
    expect(renderResult('tools/list', result, plan)).toEqual({ tools: [], _meta: { traceparent: 't' } })
    expect(
      renderResult(
        'completion/complete',
        { resultType: 'complete', completion: { values: [] }, _meta: { [MetaKey.serverInfo]: {} } },
        plan,
      ),
    ).toEqual({ completion: { values: [] } })
  })

  test.each([A, B, C, D])('$revision.version: content that needs no change is returned as it is', (plan) => {
    const content = [text('a'), { type: 'image', data: '', mimeType: 'image/png', annotations: { priority: 1 } }]
    expect(call({ content }, plan).content).toBe(content)
  })

  test('fields that no revision defines are passed through', () => {
    const tools = [{ name: 'a', inputSchema: { type: 'object' }, 'x-vendor': 1 }]
    expect(renderResult('tools/list', { tools, vendor: 2 }, A)).toEqual({ tools, vendor: 2 })
  })
})

describe('TOOL-022 PRM-006 content blocks', () => {
  const audio = {
    type: 'audio',
    data: 'AAAA',
    mimeType: 'audio/wav',
    annotations: { priority: 1, lastModified: 'x' },
    _meta: { a: 1 },
  }
  const link = {
    type: 'resource_link',
    name: 'n',
    uri: 'a:b',
    title: 'T',
    description: 'D',
    mimeType: 'text/plain',
    icons: [],
    _meta: {},
  }

  test('audio becomes an embedded resource in 2024-11-05', () => {
    expect(contentOf(audio, A)).toEqual({
      type: 'resource',
      resource: { uri: expect.stringMatching(/^urn:uuid:/), mimeType: 'audio/wav', blob: 'AAAA' },
      annotations: { priority: 1 },
    })
    expect(contentOf(audio, B)).toEqual({ type: 'audio', data: 'AAAA', mimeType: 'audio/wav', annotations: { priority: 1 } })
    expect(contentOf(audio, C)).toBe(audio)
  })

  test('a link is text before 2025-06-18, and has icons from 2025-11-25 on', () => {
    for (const plan of [A, B]) expect(contentOf(link, plan)).toEqual(text('n: a:b\nT\nD\ntext/plain'))
    const { icons: _, ...iconless } = link
    expect(contentOf(link, C)).toEqual(iconless)
    expect(contentOf(link, D)).toBe(link)
  })

  test.each([A, B, C, D])('$revision.version: a block of an unknown type becomes text', (plan) => {
    expect(contentOf({ type: 'hologram', depth: 3, annotations: { priority: 0 } }, plan)).toEqual({
      ...text('{"type":"hologram","depth":3,"annotations":{"priority":0}}'),
      annotations: { priority: 0 },
    })
  })

  test('an embedded resource loses its _meta where the revision has none; binary contents have a MIME type', () => {
    const block = { type: 'resource', resource: { uri: 'a:b', blob: '', _meta: {} } }
    expect(contentOf(block, A)).toEqual({
      type: 'resource',
      resource: { uri: 'a:b', blob: '', mimeType: 'application/octet-stream' },
    })
  })

  test('the messages of a prompt are rendered in the same way', () => {
    const result = {
      messages: [
        { role: 'user', content: link },
        { role: 'user', content: text('a') },
      ],
    }
    expect(renderResult('prompts/get', result, B)).toEqual({
      messages: [
        { role: 'user', content: text('n: a:b\nT\nD\ntext/plain') },
        { role: 'user', content: text('a') },
      ],
    })
  })
})

describe('TOOL-027 TOOL-031 structured content', () => {
  test('becomes text where the revision has none, unless a block contains it already', () => {
    const structuredContent = { a: [1, 2] }
    for (const plan of [A, B]) {
      expect(call({ content: [], structuredContent }, plan)).toEqual({ content: [text('{"a":[1,2]}')], isError: false })
      expect(call({ content: [text('{"a":[1,2]}')], structuredContent }, plan).content).toEqual([text('{"a":[1,2]}')])
      const pretty = text(JSON.stringify(structuredContent, null, 2))
      expect(call({ content: [pretty], structuredContent }, plan).content).toEqual([pretty])
      expect(call({ content: [text('{"a": broken JSON')], structuredContent }, plan).content).toHaveLength(2)
      expect(call({ content: [text('x')], structuredContent: null }, plan).content).toEqual([text('x'), text('null')])
    }
  })

  test('is unchanged if it is an object, and wrapped if it is not', () => {
    for (const plan of [C, D]) {
      expect(call({ content: [], structuredContent: { a: 1 } }, plan)).toEqual({
        content: [],
        isError: false,
        structuredContent: { a: 1 },
      })
      for (const value of [null, 0, false, '', [1]])
        expect(call({ content: [], structuredContent: value }, plan).structuredContent).toEqual({ result: value })
    }
  })

  test('TOOL-021 empty content becomes one empty text block in the first two revisions', () => {
    expect(call({ content: [] }, A).content).toEqual([text('')])
    expect(call({ content: [] }, B).content).toEqual([text('')])
    expect(call({ content: [] }, C).content).toEqual([])
  })
})

describe('definitions', () => {
  const tool = {
    name: 't',
    title: 'T',
    icons: [],
    inputSchema: { type: 'object' },
    outputSchema: { type: 'object' },
    annotations: { readOnlyHint: true },
    _meta: {},
  }
  const listed = (plan: DowngradePlan): unknown => (renderResult('tools/list', { tools: [tool] }, plan).tools as unknown[])[0]

  test('TOOL-010 TOOL-011 TOOL-015 tools', () => {
    const { title, icons: _icons, outputSchema, _meta, ...older } = tool
    const { annotations: _, ...oldest } = older
    expect(listed(A)).toEqual(oldest)
    expect(listed(B)).toEqual({ ...older, annotations: { title: 'T', readOnlyHint: true } })
    expect(listed(C)).toEqual({ ...older, title, outputSchema, _meta })
    expect(listed(D)).toBe(tool)
  })

  test('RES-004 resources, templates, prompts and their arguments', () => {
    const extras = { title: 'T', icons: [], _meta: {}, annotations: { lastModified: 'x' } }
    expect(renderResult('resources/list', { resources: [{ uri: 'a:b', name: 'n', ...extras }] }, B)).toEqual({
      resources: [{ uri: 'a:b', name: 'n', annotations: {} }],
    })
    expect(
      renderResult('resources/templates/list', { resourceTemplates: [{ uriTemplate: 'a:{b}', name: 'n', ...extras }] }, C),
    ).toEqual({
      resourceTemplates: [{ uriTemplate: 'a:{b}', name: 'n', title: 'T', _meta: {}, annotations: { lastModified: 'x' } }],
    })
    const prompt = { name: 'p', title: 'T', icons: [], arguments: [{ name: 'a', title: 'A' }] }
    expect(renderResult('prompts/list', { prompts: [prompt] }, A)).toEqual({
      prompts: [{ name: 'p', arguments: [{ name: 'a' }] }],
    })
    expect(renderResult('prompts/list', { prompts: [prompt] }, C)).toEqual({
      prompts: [{ name: 'p', title: 'T', arguments: [{ name: 'a', title: 'A' }] }],
    })
  })
})

describe('errors', () => {
  test('RES-012 a missing resource has a code of its own', () => {
    const missing = { code: -32602, message: 'Resource not found', data: { uri: 'a:b' } }
    for (const plan of [A, B, C, D]) expect(renderError('resources/read', missing, plan)).toEqual({ ...missing, code: -32002 })
    expect(renderError('tools/call', missing, A)).toBe(missing)
    expect(renderError('resources/read', { code: -32602, message: 'm' }, A)).toEqual({ code: -32602, message: 'm' })
  })

  test('TOOL-033 invalid arguments are an error up to 2025-06-18, and a result from 2025-11-25 on', () => {
    const issues = [{ path: ['a'], message: 'expected string' }]
    const result = { resultType: 'complete', content: [text('a: expected string')], isError: true, [INVALID_ARGUMENTS]: issues }
    const response: Response = { jsonrpc: '2.0', id: 1, result }
    for (const plan of [A, B, C])
      expect(renderResponse('tools/call', response, plan)).toEqual({
        jsonrpc: '2.0',
        id: 1,
        error: { code: -32602, message: 'Invalid params: a: expected string', data: { issues } },
      })
    expect(renderResponse('tools/call', response, D)).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: { content: result.content, isError: true },
    })
  })

  test('other errors are unchanged', () => {
    const response: Response = {
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32021, message: 'm', data: { requiredCapabilities: {} } },
    }
    expect(renderResponse('tools/call', response, A)).toBe(response)
  })
})

describe('notifications', () => {
  const note = (method: string, params?: JsonObject) => ({ jsonrpc: '2.0' as const, method, ...(params && { params }) })

  test('lose the subscription ID, and retain the progress token', () => {
    const changed = note('notifications/resources/updated', { uri: 'a:b', _meta: { [MetaKey.subscriptionId]: 1 } })
    expect(renderNotification(changed, D)).toEqual(note('notifications/resources/updated', { uri: 'a:b' }))
    const progress = note('notifications/progress', { progressToken: 0, progress: 1, message: 'm' })
    expect(renderNotification(progress, A)).toEqual(note('notifications/progress', { progressToken: 0, progress: 1 }))
    expect(renderNotification(progress, B)).toBe(progress)
  })

  test('of another revision are dropped, those of extensions are passed through', () => {
    expect(renderNotification(note('notifications/subscriptions/acknowledged', {}), D)).toBeUndefined()
    expect(renderNotification(note('notifications/tasks/status'), C)).toBeUndefined()
    const own = note('notifications/vendor/thing')
    expect(renderNotification(own, A)).toBe(own)
  })
})
