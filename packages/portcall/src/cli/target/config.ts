import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { readConfig, type ServerConfig, type Target } from '../../client.ts'
import { didYouMean } from '../grammar/nearest.ts'
import { misused } from '../stop.ts'

/** A server of a configuration: where it is, and the headers that belong to it. */
export interface Configured {
  readonly target: Target
  readonly headers?: Readonly<Record<string, string>>
}

/** Divides `FILE:NAME` at its last colon, when there is such a file. */
export function splitConfig(word: string): { path: string; name: string | undefined } | undefined {
  const at = word.lastIndexOf(':')
  const [path, name] = at > 0 ? [expandHome(word.slice(0, at)), word.slice(at + 1)] : [expandHome(word), undefined]
  if (at > 0 && existsSync(path)) return { path, name }
  const whole = expandHome(word)
  return /\.jsonc?$/.test(whole) && existsSync(whole) ? { path: whole, name: undefined } : undefined
}

/** Finds a server in the configuration of a host. @throws Stop, ConfigError when it cannot be used. */
export async function readConfigured(path: string, name: string | undefined): Promise<Configured> {
  const { servers } = await readConfig(await readFile(path, 'utf8'))
  const names = servers.map((server) => server.name)
  const server = name === undefined && servers.length === 1 ? servers[0] : servers.find((one) => one.name === name)
  if (!server) {
    const missing = name === undefined ? `${path} has ${servers.length} servers` : `${path} has no server ${name}`
    throw misused(missing, name === undefined ? `write ${path}:${names[0] ?? 'NAME'}` : didYouMean(name, names))
  }
  return usable(server, path)
}

function usable(server: ServerConfig, path: string): Configured {
  if ('error' in server) throw server.error
  if ('disabled' in server) throw misused(`the server ${server.name} of ${path} is switched off`)
  return { target: server.target, ...(server.headers && { headers: server.headers }) }
}

function expandHome(path: string): string {
  return path.startsWith('~/') ? homedir() + path.slice(1) : path
}
