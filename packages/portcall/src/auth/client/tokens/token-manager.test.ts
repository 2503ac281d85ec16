import { expect, test, vi } from 'vitest'
import { createMemoryStore } from '../../../stores/memory/store.ts'
import type { GrantContext, GrantType } from '../types.ts'
import type { TokenManagerOptions } from './token-context.ts'
import { createTokenManager } from './token-manager.ts'
import { createTokenStore, type ResourceBinding } from './token-store.ts'

const binding = { server: { issuer: 'https://as.example' }, resource: 'https://mcp.example/mcp' } as ResourceBinding
const tokens = { accessToken: 'old', tokenType: 'bearer', issuedAt: 0, expiresAt: 1 } as const

/** A manager whose grant calls `obtain`. */
async function start(obtain: GrantType['obtain']) {
  const store = createMemoryStore()
  const endpoint = new URL(binding.resource)
  const tokenStore = createTokenStore(store, 'owner', endpoint)
  await tokenStore.saveTokens(binding, tokens)
  const grant = { silent: true, obtain } as unknown as GrantType
  const options = { endpoint, grant, store, tokenStore, refreshAheadMs: 0, requireDpop: false }
  const manager = createTokenManager(options as unknown as TokenManagerOptions)
  const refresh = () => manager.refresh({ binding, tokens, source: 'stored', dpop: undefined }, new AbortController().signal)
  return { store, tokenStore, refresh }
}

test('a process that loses the lock while it obtains tokens stops, and does not overwrite the tokens of another process', async () => {
  vi.useFakeTimers()
  try {
    let context: GrantContext | undefined
    const { store, tokenStore, refresh } = await start(async (given) => {
      context = given
      await new Promise((resolve) => setTimeout(resolve, 20_000))
      return { accessToken: 'too late', tokenType: 'bearer' } as never
    })
    const outcome = expect(refresh()).rejects.toMatchObject({ code: 'LEASE_LOST' })
    await vi.advanceTimersByTimeAsync(1000)
    await store.set(tokenStore.lockKey(binding), 'of another process')
    await tokenStore.saveTokens(binding, { ...tokens, accessToken: 'of another process' })
    await vi.advanceTimersByTimeAsync(6000)
    expect(context?.signal.aborted).toBe(true)
    await vi.advanceTimersByTimeAsync(20_000)
    await outcome
    expect((await tokenStore.loadTokens(binding))?.accessToken).toBe('of another process')
  } finally {
    vi.useRealTimers()
  }
})
