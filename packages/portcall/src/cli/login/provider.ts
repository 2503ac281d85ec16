import { existsSync } from 'node:fs'
import type { AuthProvider, BrowserOptions, DeviceOptions } from '../../auth-client.ts'
import { Stop } from '../stop.ts'
import { loginFile } from './place.ts'

/** How somebody has signed in: what is needed to use and to refresh the tokens. */
export interface Login {
  readonly by: 'browser' | 'device'
  readonly clientId?: string | undefined
  readonly scope?: string | undefined
}

/** How a user is shown what they have to do. */
export type Show = Required<Pick<BrowserOptions, 'open'>> & Pick<DeviceOptions, 'prompt'>

const KEY = 'portcall:login'

/** Makes the provider of an endpoint, whose tokens rest in a file of their own. */
export async function providerFor(url: URL, { by, clientId, scope }: Login, { open, prompt }: Show): Promise<AuthProvider> {
  const { browser, device, fileStore } = await import('../../auth-client.ts')
  const options = {
    store: fileStore(loginFile(url)),
    clientName: 'Portcall',
    ...(scope !== undefined && { scope }),
    ...(clientId !== undefined && { client: { clientId } }),
  }
  return by === 'device' ? device({ ...options, prompt }) : browser({ ...options, open })
}

/** Remembers how somebody has signed in. */
export async function rememberLogin(url: URL, login: Login): Promise<void> {
  const { fileStore } = await import('../../auth-client.ts')
  await fileStore(loginFile(url)).set(KEY, JSON.stringify(login))
}

/** The provider for an endpoint that somebody has signed in to; nothing where nobody has. It asks nobody to sign in. */
export async function storedProvider(url: URL): Promise<AuthProvider | undefined> {
  if (!existsSync(loginFile(url))) return undefined
  const { fileStore } = await import('../../auth-client.ts')
  const login = await fileStore(loginFile(url)).get(KEY)
  if (login === undefined) return undefined
  const refuse = (): never => {
    throw new Stop('unauthorized', `the tokens for ${url.href} are not good any more`, { hint: `portcall login ${url.href}` })
  }
  return providerFor(url, JSON.parse(login) as Login, { open: refuse, prompt: refuse })
}
