import { describe, expect, test } from 'vitest'
import { type ApiKey, apiKeys, createApiKey, hashApiKey, protect } from '../../auth-server.ts'
import { ERAS, FRONTS, notes, RESOURCE, whoami } from './site.test-kit.ts'

async function holder(subject: string, more: Partial<ApiKey> = {}) {
  const { key, hash } = await createApiKey()
  return { key, entry: { hash, subject, ...more } }
}

describe('an API key', () => {
  test('is long, random, and known by its hash only', async () => {
    const [one, two] = [await createApiKey(), await createApiKey()]
    expect(one.key).toMatch(/^key_[\w-]{43}$/)
    expect(one.key).not.toBe(two.key)
    expect(one.hash).toBe(await hashApiKey(one.key))
    expect(one.hash).not.toContain(one.key.slice(4))
  })

  test('tells who is calling', async () => {
    const [ann, ben] = [await holder('ann', { scopes: ['notes:write'] }), await holder('ben')]
    const send = await FRONTS.fetch(notes(), protect({ resource: RESOURCE, verify: apiKeys([ann.entry, ben.entry]) }))
    expect(await whoami(send, `Bearer ${ann.key}`)).toMatchObject({ principal: 'api-key#ann', scopes: ['notes:write'] })
    expect(await whoami(send, `Bearer ${ben.key}`)).toMatchObject({ principal: 'api-key#ben', scopes: [] })
  })

  test('is refused when it has expired, when nobody has it, and when it is the hash', async () => {
    const [good, old] = [await holder('ann'), await holder('ann', { expiresAt: 1 })]
    const send = await FRONTS.fetch(notes(), protect({ resource: RESOURCE, verify: apiKeys([good.entry, old.entry]) }))
    for (const token of [old.key, good.entry.hash, `${good.key}x`, good.key.slice(0, -1), 'key_'])
      expect((await ERAS.modern(send, 'whoami', { authorization: `Bearer ${token}` })).status).toBe(401)
  })

  test('may rest in a database, whose answer is compared again', async () => {
    const ann = await holder('ann')
    const asked: string[] = []
    const verifier = apiKeys(async (hash) => {
      asked.push(hash)
      return ann.entry
    })
    expect(await verifier.verify(ann.key)).toMatchObject({ subject: 'ann' })
    expect(await verifier.verify('key_other')).toBeUndefined()
    expect(asked).toEqual([ann.entry.hash, await hashApiKey('key_other')])
  })
})
