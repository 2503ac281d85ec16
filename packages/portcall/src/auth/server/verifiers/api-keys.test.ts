import { describe, expect, test } from 'vitest'
import { createNotesServer, ERAS, HANDLERS, RESOURCE, whoami } from '../../../../test-kit/auth/protected-server.ts'
import { protect } from '../protect.ts'
import { type ApiKey, apiKeys, createApiKey, hashApiKey } from './api-keys.ts'

async function createHolder(subject: string, more: Partial<ApiKey> = {}) {
  const { key, hash } = await createApiKey()
  return { key, entry: { hash, subject, ...more } }
}

describe('an API key', () => {
  test('is long and random, and its hash does not contain it', async () => {
    const [one, two] = [await createApiKey(), await createApiKey()]
    expect(one.key).toMatch(/^key_[\w-]{43}$/)
    expect(one.key).not.toBe(two.key)
    expect(one.hash).toBe(await hashApiKey(one.key))
    expect(one.hash).not.toContain(one.key.slice(4))
  })

  test('identifies the caller', async () => {
    const [ann, ben] = [await createHolder('ann', { scopes: ['notes:write'] }), await createHolder('ben')]
    const send = await HANDLERS.fetch(
      createNotesServer(),
      protect({ resource: RESOURCE, verify: apiKeys([ann.entry, ben.entry]) }),
    )
    expect(await whoami(send, `Bearer ${ann.key}`)).toMatchObject({ principal: 'api-key#ann', scopes: ['notes:write'] })
    expect(await whoami(send, `Bearer ${ben.key}`)).toMatchObject({ principal: 'api-key#ben', scopes: [] })
  })

  test('is refused if it has expired or is unknown, and so is its hash', async () => {
    const [good, old] = [await createHolder('ann'), await createHolder('ann', { expiresAt: 1 })]
    const send = await HANDLERS.fetch(
      createNotesServer(),
      protect({ resource: RESOURCE, verify: apiKeys([good.entry, old.entry]) }),
    )
    for (const token of [old.key, good.entry.hash, `${good.key}x`, good.key.slice(0, -1), 'key_'])
      expect((await ERAS.modern(send, 'whoami', { authorization: `Bearer ${token}` })).status).toBe(401)
  })

  test('may come from a database, whose result is compared again', async () => {
    const ann = await createHolder('ann')
    const requested: string[] = []
    const verifier = apiKeys(async (hash) => {
      requested.push(hash)
      return ann.entry
    })
    expect(await verifier.verify(ann.key)).toMatchObject({ subject: 'ann' })
    expect(await verifier.verify('key_other')).toBeUndefined()
    expect(requested).toEqual([ann.entry.hash, await hashApiKey('key_other')])
  })
})
