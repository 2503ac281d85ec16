import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { ConfigError, type ConnectTarget, readConfig, type ServerConfig } from 'portcall/client'
import { CliError, usageError } from '../cli-error.ts'
import { didYouMean } from '../command-line/did-you-mean.ts'
import { projectDirectory } from '../hosts/project-directory.ts'

/** A target to connect to, and its configured headers. */
export interface ResolvedTarget {
  readonly target: ConnectTarget
  readonly headers?: Readonly<Record<string, string>>
}

/** Splits `file:name` at the last colon, if there is such a file. */
export function splitConfigLocation(location: string): { path: string; name: string | undefined } | undefined {
  const at = location.lastIndexOf(':')
  if (at > 0) {
    const path = expandHome(location.slice(0, at))
    if (existsSync(path)) return { path, name: location.slice(at + 1) }
  }
  const path = expandHome(location)
  return /\.(jsonc?|toml|ya?ml)$/.test(path) && existsSync(path) ? { path, name: undefined } : undefined
}

/** Reads a server from the configuration file of a host. @throws CliError, ConfigError */
export async function readConfigFile(path: string, name: string | undefined): Promise<ResolvedTarget> {
  const { servers } = await readConfig(await readFile(path, 'utf8'), { directory: projectDirectory(path) }).catch(
    (error: unknown) => {
      throw namingFile(error, path)
    },
  )
  const names = servers.map((server) => server.name)
  const server = name === undefined && servers.length === 1 ? servers[0] : servers.find((entry) => entry.name === name)
  if (server) return toTarget(server, path)
  if (name === undefined) throw usageError(`${path} has ${servers.length} servers`, `write ${path}:${names[0] ?? 'NAME'}`)
  throw usageError(`${path} has no server ${name}`, didYouMean(name, names))
}

/** Names the file that an invalid configuration is in. */
export function namingFile(error: unknown, file: string | undefined): unknown {
  if (!(error instanceof ConfigError)) return error
  const [title = '', ...lines] = error.message.split('\n')
  const text = lines.length === 1 ? `${file}: ${lines[0]?.trim()}` : `${file}: ${title}`
  return new CliError('usage', text, { code: error.code, cause: error, details: lines.length > 1 ? lines : [] })
}

function toTarget(server: ServerConfig, path: string): ResolvedTarget {
  if ('error' in server) throw server.error
  if ('disabled' in server) throw usageError(`the server ${server.name} in ${path} is disabled`)
  return { target: server.target, ...(server.headers && { headers: server.headers }) }
}

function expandHome(path: string): string {
  return /^~[\\/]/.test(path) ? homedir() + path.slice(1) : path
}
