import { fileURLToPath } from 'node:url'
import { Miniflare } from 'miniflare'
import { rolldown } from 'rolldown'
import { freePort } from '../../../support/free-port.mjs'
import { type ForeignServer, passwordOf, type RegisteredClient, SCOPES, USERS } from '../../support/server.ts'

/** workers-oauth-provider in front of a Portcall server, in workerd, with a simulated KV namespace. */
export const server: ForeignServer = {
  name: 'workers',
  title: 'workers-oauth-provider 1.2.3',
  lacks: {
    dpop: 'it has no DPoP',
    'client credentials': 'it has no client credentials grant',
    'device code': 'it has no device authorization endpoint',
  },
  async start({ port }) {
    const origin = `http://127.0.0.1:${port}`
    const worker = new Miniflare({
      host: '127.0.0.1',
      port,
      modulesRoot: '/',
      modules: await bundle(),
      compatibilityDate: '2025-12-01',
      compatibilityFlags: ['nodejs_compat'],
      kvNamespaces: ['OAUTH_KV'],
      bindings: { ORIGIN: origin, SCOPES, PASSWORDS: Object.fromEntries(USERS.map((name) => [name, passwordOf(name)])) },
    })
    await worker.ready
    const redirectUri = `http://127.0.0.1:${await freePort()}/callback`
    const app = await register(origin, redirectUri)
    const remove = async (...prefixes: string[]): Promise<void> => {
      const entries = (await worker.getKVNamespace('OAUTH_KV')) as unknown as Namespace
      const { keys } = await entries.list()
      const isMeant = ({ name }: { name: string }): boolean =>
        prefixes.some((prefix) => name.startsWith(prefix)) && name !== `client:${app.clientId}`
      for (const { name } of keys.filter(isMeant)) await entries.delete(name)
    }
    return {
      issuer: origin,
      clients: { app },
      forgetClients: () => remove('client:'),
      revokeTokens: () => remove('token:', 'grant:'),
      revokeAccessTokens: () => remove('token:'),
      close: () => worker.dispose(),
    }
  },
}

/** The parts of a KV namespace that are used here. Its types need those of the workers runtime. */
interface Namespace {
  list(): Promise<{ keys: readonly { name: string }[] }>
  delete(name: string): Promise<void>
}

interface Module {
  readonly type: 'ESModule'
  readonly path: string
  readonly contents: string
}

/** Returns the modules of the worker. The first one is the entry. */
async function bundle(): Promise<Module[]> {
  const build = await rolldown({
    input: fileURLToPath(new URL('worker.mjs', import.meta.url)),
    external: [/^cloudflare:/, /^node:/],
    resolve: { conditionNames: ['workerd', 'import'] },
  })
  const { output } = await build.generate({ format: 'esm' })
  await build.close()
  return output.flatMap((file) =>
    file.type === 'chunk' ? [{ type: 'ESModule' as const, path: `/${file.fileName}`, contents: file.code }] : [],
  )
}

async function register(origin: string, redirectUri: string): Promise<RegisteredClient> {
  const body = JSON.stringify({ redirectUris: [redirectUri], tokenEndpointAuthMethod: 'client_secret_basic' })
  const response = await fetch(`${origin}/clients`, { method: 'POST', body })
  const { clientId, clientSecret } = await response.json()
  return { clientId, clientSecret, redirectUri }
}
