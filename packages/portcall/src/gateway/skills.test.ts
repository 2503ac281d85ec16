import { expect, onTestFinished, test } from 'vitest'
import type { Exchange } from '../jsonrpc/exchange.ts'
import { success } from '../jsonrpc/message.ts'
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
