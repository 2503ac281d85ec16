import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { BrowserSignInOptions, DeviceCodeOptions, OAuthProvider } from 'portcall/auth/client'
import { CliError, usageError } from '../cli-error.ts'
import type { ServerArgument } from '../command.ts'
import { resolveTarget } from '../target/resolve.ts'

/** The settings of a sign-in, which are needed again to use and refresh the tokens. */
export interface LoginSettings {
  readonly by: 'browser' | 'device'
  readonly clientId?: string | undefined
  readonly scopes?: readonly string[] | undefined
  readonly offlineAccess?: boolean | undefined
}

/** Shows the user how to sign in. */
export type SignInPrompts = Required<Pick<BrowserSignInOptions, 'open'>> & Pick<DeviceCodeOptions, 'prompt'>

const SETTINGS_KEY = 'portcall:login'

/** Returns the URL of a server. @throws CliError when the server has none. */
export async function resolveUrl(server: ServerArgument): Promise<URL> {
  const { target } = await resolveTarget(server)
  if (target instanceof URL) return target
  throw usageError('this command needs the URL of a server', 'pass credentials to programs with --env')
}

/** Returns the file that stores the tokens of a URL. The environment variable `PORTCALL_HOME` overrides the directory. */
export function loginFile({ origin, host, pathname, search }: URL): string {
  const digest = createHash('sha256').update(`${origin}${pathname}${search}`).digest('hex').slice(0, 12)
  return join(portcallHome(), 'logins', `${host.replace(/[^\w.-]/g, '_')}-${digest}.json`)
}

/** Returns the directory with the user's settings of this command. */
export function portcallHome(): string {
  const { PORTCALL_HOME, XDG_CONFIG_HOME, APPDATA } = process.env
  if (PORTCALL_HOME) return PORTCALL_HOME
  if (process.platform === 'win32' && APPDATA) return join(APPDATA, 'portcall')
  return join(XDG_CONFIG_HOME || join(homedir(), '.config'), 'portcall')
}

/** Creates an auth provider that stores its tokens in the login file of the URL. */
export async function createProvider(
  url: URL,
  { by, clientId, scopes, offlineAccess }: LoginSettings,
  { open, prompt }: SignInPrompts,
): Promise<OAuthProvider> {
  const { browserSignIn, deviceCode, fileStore } = await import('portcall/auth/client')
  const options = {
    store: fileStore(loginFile(url)),
    clientName: 'Portcall',
    ...(scopes && { scopes }),
    ...(offlineAccess !== undefined && { offlineAccess }),
    ...(clientId !== undefined && { client: { clientId } }),
  }
  return by === 'device' ? deviceCode({ ...options, prompt }) : browserSignIn({ ...options, open })
}

export async function saveLoginSettings(url: URL, settings: LoginSettings): Promise<void> {
  const { fileStore } = await import('portcall/auth/client')
  await fileStore(loginFile(url)).set(SETTINGS_KEY, JSON.stringify(settings))
}

/** Creates an auth provider for a URL that the user has signed in to. It never starts a new sign-in. */
export async function storedProvider(url: URL): Promise<OAuthProvider | undefined> {
  if (!existsSync(loginFile(url))) return undefined
  const { fileStore } = await import('portcall/auth/client')
  const settings = await fileStore(loginFile(url)).get(SETTINGS_KEY)
  if (settings === undefined) return undefined
  const rejectSignIn = (): never => {
    throw new CliError('unauthorized', `the tokens for ${url.href} are no longer valid`, {
      hint: `sign in with portcall login ${url.href}`,
    })
  }
  return createProvider(url, JSON.parse(settings) as LoginSettings, { open: rejectSignIn, prompt: rejectSignIn })
}
