import { generateKey } from 'portcall'
import { apiKeys, createApiKey, protect } from 'portcall/auth/server'
import { connect } from 'portcall/client'
import { createGateway, userAccounts } from 'portcall/gateway'
import { serve } from 'portcall/node'
import { memoryStores } from 'portcall/stores'
import { onTestFinished } from 'vitest'
import { createBrowser } from '../../auth/support/browser.ts'
import { reserveUrl } from '../../auth/support/notes.ts'
import type { Caller } from './deployment.ts'
import { USERS, type UserName } from './server.ts'
import { answersOf } from './user.ts'

/** A gateway in front of a protected server. */
export interface TestGateway {
  /** Returns who the server says that a user of the gateway is. Opens the link to connect an account, if there is one. */
  whoami(user: UserName): Promise<Caller>
  /** The links that the gateway has shown. */
  readonly links: readonly string[]
}

/** Starts a gateway whose users connect their own accounts, until the test ends. */
export async function startGateway(target: string): Promise<TestGateway> {
  const { url, port } = await reserveUrl()
  const { origin } = new URL(url)
  const keys = Object.fromEntries(await Promise.all(USERS.map(async (name) => [name, await createApiKey()] as const)))
  const links: string[] = []
  let opener = ''
  const { store } = memoryStores()
  const accounts = userAccounts({
    origin,
    servers: { notes: {} },
    identify: () => `api-key#${opener}`,
    store,
    sealingKeys: [generateKey()],
  })
  const gateway = createGateway({
    servers: { notes: { target, credentials: accounts.credentials } },
    middleware: [accounts.middleware],
  })
  const verify = apiKeys(Object.entries(keys).map(([subject, { hash }]) => ({ hash, subject })))
  const protection = protect({ resource: url, verify })
  const { close } = await serve(gateway, {
    ...protection,
    port,
    handleProcessSignals: false,
    drainTimeoutMs: 0,
    onRequest: (request) => accounts.onRequest(request) ?? protection.onRequest(request),
  })
  onTestFinished(async () => {
    await close()
    await gateway.close()
  })
  return {
    links,
    async whoami(user) {
      const client = await connect(url, {
        headers: { authorization: `Bearer ${keys[user]?.key}` },
        async elicitUrl({ url: link }): Promise<'accept'> {
          links.push(link)
          opener = user
          const page = await createBrowser({ answers: answersOf(user) }).open(link)
          if (page.status !== 200) throw new Error(`The link ended at ${page.url} with ${page.status}: ${page.html}`)
          return 'accept'
        },
      })
      onTestFinished(() => client.close())
      const { content } = await client.callTool('notes__whoami', {})
      const [block] = content as Array<{ text?: string }>
      return JSON.parse(block?.text ?? '')
    },
  }
}
