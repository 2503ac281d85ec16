import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { readConfig, type ServerConfig, type StdioTarget } from 'portcall/client'
import type { ServerSources } from 'portcall/inspector'
import { isObject } from 'portcall/jsonrpc'
import { isUrl } from '../../../util/src/parse-url.ts'
import { usageError } from '../cli-error.ts'
import { currentSystem, HOSTS } from '../hosts/hosts.ts'
import { projectDirectory } from '../hosts/project-directory.ts'
import { splitConfigLocation } from '../target/config-file.ts'
import { isModule } from '../target/module.ts'
import { notAServer } from '../target/not-a-server.ts'
import { splitCommandLine } from './split-command-line.ts'

type Source = Awaited<ReturnType<ServerSources['read']>>
type Target = Awaited<ReturnType<ServerSources['parse']>>['target']
type SourceServer = Source['servers'][number]

/** Creates access to the configurations of the MCP hosts on this machine. Nothing is started. */
export function createSources(): ServerSources {
  return {
    list: async () => (await Promise.all(hostFiles().map(readSource))).flat(),
    async read(path) {
      const file = resolve(path)
      const [source] = await readSource({ kind: 'file', title: path, path: file })
      if (source) return source
      throw usageError(`no such file: ${path}`)
    },
    async parse(text) {
      const trimmed = text.trim()
      return trimmed.startsWith('{') ? parseEntry(trimmed) : { target: parseServerText(trimmed), settings: {} }
    },
  }
}

type SourceFile = Pick<Source, 'kind' | 'title' | 'path'>

function hostFiles(): SourceFile[] {
  const system = currentSystem()
  return Object.values(HOSTS).flatMap(({ title, file, project }) => [
    { kind: 'host' as const, title, path: file(system) },
    ...(project === undefined ? [] : [{ kind: 'host' as const, title: `${title}, this project`, path: resolve(project) }]),
  ])
}

async function readSource(file: SourceFile): Promise<Source[]> {
  if (!existsSync(file.path)) return []
  try {
    const text = await readFile(file.path, 'utf8')
    const { servers } = await readConfig(text, { directory: projectDirectory(file.path), allowNoServers: file.kind === 'host' })
    return [{ ...file, servers: servers.map((server) => describe(server, file.path)) }]
  } catch (error) {
    return [{ ...file, servers: [], failure: { code: 'INVALID_CONFIG', message: (error as Error).message } }]
  }
}

function describe(server: ServerConfig, path: string): SourceServer {
  const base = { name: server.name, target: { kind: 'config' as const, path, name: server.name } }
  if ('error' in server)
    return { ...base, summary: '', disabled: false, failure: { code: 'INVALID_CONFIG', message: server.error.message } }
  if ('disabled' in server) return { ...base, summary: 'disabled', disabled: true }
  return { ...base, summary: summaryOf(server.target), disabled: false }
}

function summaryOf(target: URL | StdioTarget): string {
  if (target instanceof URL) return target.origin + target.pathname
  const names = Object.keys(target.env ?? {}).map((name) => `${name}=••••`)
  return [...names, target.command, ...(target.args ?? [])].join(' ')
}

/** Understands a server as on the command line, or a whole command line. @throws CliError */
export function parseServerText(text: string): Target {
  if (/^https?:\/\//i.test(text)) {
    if (!isUrl(text)) throw usageError(`${text} is not a valid URL`)
    return { kind: 'url', url: text }
  }
  const config = splitConfigLocation(text)
  if (config?.name !== undefined) return { kind: 'config', path: resolve(config.path), name: config.name }
  if (config) throw usageError(`${text} is a configuration`, `write ${text}:NAME`)
  if (isModule(text)) return { kind: 'module', path: resolve(text) }
  const [command, ...args] = splitCommandLine(text.replace(/^--\s+/, ''))
  if (command !== undefined && (args.length > 0 || text.startsWith('-- ') || isProgram(command)))
    return { kind: 'program', command, args }
  throw notAServer(text)
}

function isProgram(command: string): boolean {
  const folders = (process.env.PATH ?? '').split(process.platform === 'win32' ? ';' : ':')
  return command.includes('/') ? existsSync(command) : folders.some((folder) => existsSync(join(folder, command)))
}

/** Reads an entry as it stands in the configuration of a host. */
async function parseEntry(text: string): Promise<Awaited<ReturnType<ServerSources['parse']>>> {
  const value: unknown = JSON.parse(text)
  const isEntry = isObject(value) && !Object.values(value).some(isServerMap)
  const { servers } = await readConfig(isEntry ? { mcpServers: { server: value } } : (value as object))
  const [server] = servers
  if (!server || 'disabled' in server) throw usageError('the entry has no server')
  if ('error' in server) throw server.error
  const { target, headers } = server
  if (target instanceof URL) return { target: { kind: 'url', url: target.href }, settings: headers ? { headers } : {} }
  const { command, args = [], env, cwd } = target
  return { target: { kind: 'program', command, args }, settings: { ...(env && { env }), ...(cwd !== undefined && { cwd }) } }
}

function isServerMap(value: unknown): boolean {
  return isObject(value) && Object.values(value).some((entry) => isObject(entry) && ('command' in entry || 'url' in entry))
}
