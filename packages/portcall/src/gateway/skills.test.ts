import { expect, onTestFinished, test } from 'vitest'
import type { Exchange } from '../jsonrpc/exchange.ts'
import { type JsonObject, success } from '../jsonrpc/message.ts'
import { UNAVAILABLE_META } from '../protocol/meta.ts'
import { clientMeta } from '../protocol/probes.ts'
import { createGateway } from './gateway.ts'
import { accessRules } from './policy/access-rules.ts'

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

async function listSkills(policy: Parameters<typeof accessRules>[0]) {
  const servers = { whole: { exchange: serverOf(true) }, broken: { exchange: serverOf(false) } }
  const gateway = createGateway({ servers, policy: accessRules(policy) })
  onTestFinished(() => gateway.close())
  const params = { _meta: clientMeta({ name: 'test', version: '1' }) }
  const response = await gateway.exchange(
    { jsonrpc: '2.0', id: 1, method: 'skills/list', params },
    { signal: new AbortController().signal, notify() {} },
  )
  return (response as unknown as { result: { skills: { uri: string }[]; _meta?: object } }).result
}

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
