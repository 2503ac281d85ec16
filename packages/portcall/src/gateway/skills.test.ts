import { describe, expect, onTestFinished, test } from 'vitest'
import { onAbort } from '../../../util/src/abort.ts'
import { resultOf } from '../jsonrpc/errors.ts'
import type { Exchange } from '../jsonrpc/exchange.ts'
import { type JsonObject, success } from '../jsonrpc/message.ts'
import { UNAVAILABLE_META } from '../protocol/meta.ts'
import { clientMeta } from '../protocol/probes.ts'
import { memoryStores } from '../stores/memory/memory.ts'
import type { GatewayOptions } from './api/options.ts'
import { createGateway } from './gateway.ts'
import { accessRules } from './policy/access-rules.ts'
import { definitionPins } from './policy/definition-pins.ts'

const SKILLS = { extensions: { 'io.modelcontextprotocol/skills': {} } }

/** A server with two pages of skills, of which the second may be missing. */
const serverOf =
  (isWhole: boolean): Exchange =>
  async ({ id, method, params }) => {
    if (method === 'server/discover')
      return success(id, {
        resultType: 'complete',
        supportedVersions: ['2026-07-28'],
        capabilities: SKILLS,
        ttlMs: 0,
        cacheScope: 'private',
      })
    if (params?.cursor !== undefined && !isWhole)
      return { jsonrpc: '2.0', id, error: { code: -32603, message: 'the disk is away' } }
    const uri = `skill://page-${params?.cursor ?? '1'}/SKILL.md`
    return success(id, {
      resultType: 'complete',
      skills: [{ uri, name: 'page' }],
      ...(params?.cursor === undefined && { nextCursor: '2' }),
    })
  }

interface SkillPage {
  readonly skills: readonly { readonly uri: string }[]
  readonly nextCursor?: string
  readonly _meta?: { readonly [UNAVAILABLE_META]: { readonly [server: string]: string } }
}

/** Opens a gateway. Returns what requests a page of its skills. */
function openGateway(options: GatewayOptions) {
  const gateway = createGateway(options)
  onTestFinished(() => gateway.close())
  return async (more: JsonObject = {}, { method = 'skills/list', principal = 'ada' } = {}): Promise<SkillPage> => {
    const params = { _meta: clientMeta({ name: 'test', version: '1' }), ...more }
    const context = { signal: new AbortController().signal, notify() {}, auth: { principal } }
    return resultOf(await gateway.exchange({ jsonrpc: '2.0', id: 1, method, params }, context), method) as unknown as SkillPage
  }
}

/** A server with one skill on each page. */
const pagesOf =
  (count: number, answer: (page: number) => Promise<void> = async () => {}): Exchange =>
  async (request, context) => {
    if (request.method !== 'skills/list') return serverOf(true)(request, context)
    const page = Number(request.params?.cursor ?? 1)
    await answer(page)
    return success(request.id, {
      resultType: 'complete',
      skills: [{ uri: `skill://${page}/SKILL.md`, name: `${page}` }],
      ...(page < count && { nextCursor: `${page + 1}` }),
    })
  }

describe('a long list of skills', () => {
  test('has pages, whatever the pages of the servers are', async () => {
    const servers = { one: { exchange: pagesOf(5) }, two: { exchange: pagesOf(1) }, three: { exchange: pagesOf(4) } }
    const list = openGateway({ servers, pageSize: 3 })
    const pages: SkillPage[] = [await list()]
    for (let { nextCursor } = pages[0] as SkillPage; nextCursor; { nextCursor } = pages.at(-1) as SkillPage)
      pages.push(await list({ cursor: nextCursor }))
    expect(pages.map(({ skills }) => skills.length)).toEqual([3, 3, 3, 1])
    const urisOf = (server: string, count: number) =>
      Array.from({ length: count }, (_, at) => `skill://${server}+/${at + 1}/SKILL.md`)
    expect(pages.flatMap(({ skills }) => skills.map(({ uri }) => uri))).toEqual([
      ...urisOf('one', 5),
      ...urisOf('two', 1),
      ...urisOf('three', 4),
    ])
  })

  test('has cursors for one caller and one list', async () => {
    const list = openGateway({ servers: { one: { exchange: pagesOf(2) }, two: { exchange: pagesOf(2) } }, pageSize: 3 })
    const { nextCursor: cursor = '' } = await list()
    for (const wrong of ['x', '', 1, '2', `${cursor}x`])
      await expect(list({ cursor: wrong })).rejects.toMatchObject({ code: -32602, message: expect.stringContaining('cursor') })
    await expect(list({ cursor }, { principal: 'eve' })).rejects.toMatchObject({ code: -32602 })
    await expect(list({ cursor }, { method: 'tools/list' })).rejects.toMatchObject({ code: -32602 })
    expect((await list({ cursor })).skills).toHaveLength(1)
  })

  test('names a server that fails on a later page, on each page of the others', async () => {
    let isAway = false
    const flaky = pagesOf(3, async (page) => {
      if (isAway && page === 3) throw new Error('away')
    })
    const list = openGateway({ servers: { one: { exchange: pagesOf(3) }, flaky: { exchange: flaky } }, pageSize: 2 })
    const first = await list()
    expect(first._meta).toBeUndefined()
    isAway = true
    const second = await list({ cursor: first.nextCursor })
    expect(second.skills.map(({ uri }) => uri)).toEqual(['skill://one+/3/SKILL.md'])
    expect(second._meta?.[UNAVAILABLE_META]).toEqual({ flaky: expect.any(String) })
  })

  test('does not wait for a server longer than listTimeoutMs, and cancels the request', async () => {
    let isCancelled = false
    const slow: Exchange = async (request, context) => {
      if (request.method !== 'skills/list') return serverOf(true)(request, context)
      return new Promise((_, reject) =>
        onAbort(context, (reason) => {
          isCancelled = true
          reject(reason)
        }),
      )
    }
    const servers = { one: { exchange: pagesOf(1) }, slow: { target: { exchange: slow }, listTimeoutMs: 100 } }
    const { skills, _meta } = await openGateway({ servers })()
    expect(skills).toHaveLength(1)
    expect(_meta?.[UNAVAILABLE_META]).toEqual({ slow: expect.stringContaining('No response within 100 ms') })
    expect(isCancelled).toBe(true)
  })

  test('fails without a server that is required', async () => {
    const broken = { target: { exchange: serverOf(false) }, required: true }
    const list = openGateway({ servers: { one: { exchange: pagesOf(1) }, broken } })
    await expect(list()).rejects.toThrow('The server broken, which is required, is not available')
  })

  test('without an end is cut off with a warning', async () => {
    const events: unknown[] = []
    const servers = { endless: { exchange: pagesOf(Infinity) }, one: { exchange: pagesOf(1) } }
    const { skills } = await openGateway({ servers, onEvent: (event) => events.push(event) })()
    expect(skills).toHaveLength(65)
    expect(events).toContainEqual({ type: 'warning', server: 'endless', message: expect.stringContaining('more than 64 pages') })
  })

  test('has each skill once, so that its cursor leads on', async () => {
    const repeating: Exchange = async (request, context) => {
      const response = await pagesOf(1)(request, context)
      if (request.method !== 'skills/list' || !('result' in response)) return response
      const skills = ['a', 'b', 'a', 'c'].map((name) => ({ uri: `skill://${name}/SKILL.md`, name }))
      return success(request.id, { ...response.result, skills })
    }
    const list = openGateway({ servers: { repeating: { exchange: repeating }, one: { exchange: pagesOf(1) } }, pageSize: 2 })
    const first = await list()
    const second = await list({ cursor: first.nextCursor })
    expect([first, second].map(({ skills }) => skills.length)).toEqual([2, 2])
    expect(second.nextCursor).toBeUndefined()
  })

  test('is not taken for complete under pins when a page fails', async () => {
    const pins = definitionPins({ mode: 'block', lock: memoryStores().store })
    const servers = { one: { exchange: pagesOf(1) }, broken: { exchange: serverOf(false) } }
    const { skills, _meta } = await openGateway({ servers, policy: pins })()
    expect(skills.map(({ uri }) => uri)).toEqual(['skill://one+/1/SKILL.md'])
    expect(_meta?.[UNAVAILABLE_META]).toEqual({ broken: expect.stringContaining('the disk is away') })
  })
})

const listSkills = (policy: Parameters<typeof accessRules>[0]): Promise<SkillPage> =>
  openGateway({
    servers: { whole: { exchange: serverOf(true) }, broken: { exchange: serverOf(false) } },
    policy: accessRules(policy),
  })()

test('a list of skills names the servers that are missing', async () => {
  const { skills, _meta } = await listSkills({ default: 'allow', rules: [] })
  expect(skills.map(({ uri }) => uri)).toEqual(['skill://whole+/page-1/SKILL.md', 'skill://whole+/page-2/SKILL.md'])
  expect(_meta).toEqual({ [UNAVAILABLE_META]: { broken: expect.stringContaining('the disk is away') } })
})

test('but not to callers that may not know them', async () => {
  const { skills, _meta } = await listSkills({ default: 'allow', rules: [{ servers: 'broken', do: 'deny' }] })
  expect([skills.length, _meta]).toEqual([2, undefined])
})

const PUBLIC = { resultType: 'complete', ttlMs: 3_600_000, cacheScope: 'public' }
const RESULTS: Readonly<Record<string, JsonObject>> = {
  'server/discover': { supportedVersions: ['2026-07-28'], capabilities: { ...SKILLS, resources: {} } },
  'resources/list': { resources: [{ uri: 'note://1', name: 'one' }] },
  'resources/read': { contents: [{ uri: 'note://1', text: 'one' }] },
  'skills/get': { skill: { uri: 'note://1', frontmatter: {}, resources: 'dynamic' } },
  'resources/directory/read': { resources: [] },
}

test.each([
  ['one server', ['one']],
  ['several servers', ['one', 'two']],
] as const)('SKL-045 CACHE-010 results of %s are public, unless policies decide who gets them', async (_, names) => {
  const target: Exchange = async ({ id, method }) => success(id, { ...PUBLIC, ...RESULTS[method] })
  const scopes = async (policy?: ReturnType<typeof accessRules>): Promise<unknown[]> => {
    const servers = Object.fromEntries(names.map((name) => [name, { exchange: target }]))
    const gateway = createGateway({ servers, ...(policy && { policy }) })
    onTestFinished(() => gateway.close())
    const uri = names.length > 1 ? 'one+note://1' : 'note://1'
    const methods = ['resources/list', 'resources/read', 'skills/get', 'resources/directory/read']
    const send = async (method: string): Promise<unknown> => {
      const params = { ...(method !== 'resources/list' && { uri }), _meta: clientMeta({ name: 'test', version: '1' }) }
      const context = { signal: new AbortController().signal, notify() {} }
      const response = await gateway.exchange({ jsonrpc: '2.0', id: 1, method, params }, context)
      return 'result' in response ? response.result.cacheScope : response
    }
    return Promise.all(methods.map(send))
  }
  expect(await scopes()).toEqual(['public', 'public', 'public', 'public'])
  expect(await scopes(accessRules({ default: 'allow', rules: [] }))).toEqual(['private', 'private', 'private', 'private'])
})
