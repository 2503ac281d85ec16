/** Streams that wait for events do not outlive their token: they end when it expires, and clients continue with a new one. */
import { browserSignIn } from 'portcall/auth/client'
import { expect, onTestFinished, test } from 'vitest'
import { createBrowser } from './support/browser.ts'
import { startTestServer } from './support/test-server.ts'

const ACCESS_SECONDS = 2

test.each(['2026-07-28', '2025-11-25', '2025-03-26'])(
  'a subscription of %s goes on with new tokens, and the user signs in once',
  async (protocolVersion) => {
    const server = await startTestServer({ accessSeconds: ACCESS_SECONDS })
    const browser = createBrowser()
    let signIns = 0
    const open = async (url: URL): Promise<void> => {
      signIns++
      await browser.open(url.href)
    }
    const client = await server.connect({ auth: browserSignIn({ open, timeoutMs: 10_000 }), protocolVersion })
    const subscription = client.listen({ toolsListChanged: true })
    onTestFinished(() => subscription.close())
    await subscription.acknowledged
    const startedAt = Date.now()
    const changes = subscription[Symbol.asyncIterator]()
    // The stream that a change arrives on was opened with a token that is still valid, so there were several tokens.
    const timer = setInterval(() => server.notes.listChanged('tools'), 100)
    onTestFinished(() => clearInterval(timer))
    while (Date.now() - startedAt < 3 * ACCESS_SECONDS * 1000)
      expect(await changes.next()).toMatchObject({ done: false, value: { type: 'tools' } })
    expect(signIns).toBe(1)
    expect(server.provider.grants.filter((grant) => grant === 'refresh_token').length).toBeGreaterThanOrEqual(2)
  },
)
