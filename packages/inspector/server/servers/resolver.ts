import type { ServerLike } from 'portcall'
import type { AuthProvider } from 'portcall/auth/client'
import type { ConnectTarget } from 'portcall/client'
import { isUrl } from '../../../util/src/parse-url.ts'
import { quote } from '../../../util/src/quote.ts'
import type { ConnectionSettings, InspectorTarget } from '../protocol/servers.ts'
import { InspectorCommandError } from '../state/command-error.ts'
import { maskValues } from '../wire/mask.ts'

/** A server of a configuration file. */
export interface ConfiguredServer {
  readonly target: ConnectTarget
  readonly headers?: Readonly<Record<string, string>>
}

/** How the back end gets at servers that are not URLs or programs. */
export interface TargetLoaders {
  /** Reads a server from a configuration file. */
  readConfiguredServer?(path: string, name: string): Promise<ConfiguredServer>
  /** Loads the server that a module exports. */
  loadModule?(path: string): Promise<ServerLike>
  /** Returns a provider with the tokens of an earlier sign-in at a server, if there are any. */
  storedLogin?(url: URL): Promise<AuthProvider | undefined>
  /** The server that the inspector is mounted next to. */
  readonly embedded?: ServerLike
}

/** The server that `connect` gets, and what a person confirms. */
export interface ResolvedServer {
  readonly target: URL | StdioSpec | { readonly server: ServerLike }
  readonly headers: Readonly<Record<string, string>>
  /** The program that runs on this machine, as text. */
  readonly runs: string | undefined
}

/** A program to start. */
export interface StdioSpec {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd?: string
}

/** Turns a target into what `connect` takes, without starting anything. `load` is false if modules are not to be loaded. */
export async function resolveServer(
  target: InspectorTarget,
  settings: ConnectionSettings,
  { loaders, load }: { readonly loaders: TargetLoaders; readonly load: boolean },
): Promise<ResolvedServer> {
  const { headers = {}, env = {}, cwd } = settings
  switch (target.kind) {
    case 'url':
      return { target: parseUrl(target.url), headers, runs: undefined }
    case 'program':
      return ofProgram({ command: target.command, args: target.args, env, ...(cwd !== undefined && { cwd }) }, headers)
    case 'config': {
      if (!loaders.readConfiguredServer) throw unsupported('Configuration files')
      const configured = await loaders.readConfiguredServer(target.path, target.name)
      if (configured.target instanceof URL)
        return { target: configured.target, headers: { ...configured.headers, ...headers }, runs: undefined }
      return ofProgram(toSpec(configured.target as Partial<StdioSpec>, settings), headers)
    }
    case 'module': {
      const server = load ? await loaders.loadModule?.(target.path) : undefined
      if (load && !server) throw unsupported('Modules')
      return { target: { server: server as ServerLike }, headers, runs: target.path }
    }
    case 'embedded':
      if (load && !loaders.embedded) throw unsupported('Embedded servers')
      return { target: { server: loaders.embedded as ServerLike }, headers, runs: undefined }
  }
}

function toSpec(configured: Partial<StdioSpec>, { env = {}, cwd }: ConnectionSettings): StdioSpec {
  const { command = '', args = [] } = configured
  const directory = cwd ?? configured.cwd
  return { command, args, env: { ...configured.env, ...env }, ...(directory !== undefined && { cwd: directory }) }
}

function ofProgram(spec: StdioSpec, headers: Readonly<Record<string, string>>): ResolvedServer {
  return { target: spec, headers, runs: describeProgram(spec) }
}

/** Writes a program as a shell command, with its directory and variables. Secrets are masked. */
function describeProgram({ command, args, env, cwd }: StdioSpec): string {
  const variables = Object.entries(maskValues(env)).map(([name, value]) => `${name}=${quote(value)}`)
  const directory = cwd === undefined ? [] : ['cd', quote(cwd), '&&']
  return [...directory, ...variables, ...[command, ...args].map(quote)].join(' ')
}

function parseUrl(text: string): URL {
  if (!isUrl(text)) throw new InspectorCommandError('INVALID_PARAMS', `${text} is not a URL`)
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new InspectorCommandError('INVALID_PARAMS', `The URL of a server starts with http: or https:, not ${url.protocol}`)
  return url
}

function unsupported(what: string): InspectorCommandError {
  return new InspectorCommandError('INVALID_PARAMS', `${what} cannot be opened by this inspector`)
}
