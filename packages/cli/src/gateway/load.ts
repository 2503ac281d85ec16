import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, extname, resolve } from 'node:path'
import { readConfig } from 'portcall/client'
import { type GatewayConfig, readGatewayConfig, type ServerConfig } from 'portcall/gateway'
import { unreadable, usageError } from '../cli-error.ts'
import { didYouMean } from '../command-line/did-you-mean.ts'
import { offInClaudeCode } from '../hosts/claude-code-settings.ts'
import { currentSystem, HOSTS } from '../hosts/hosts.ts'
import { projectDirectory } from '../hosts/project-directory.ts'
import { namingFile } from '../target/config-file.ts'
import { createVariableMask, type VariableMask } from './variable-mask.ts'

/** Where the configuration of a gateway comes from. */
export interface GatewaySource {
  /** The file of the gateway. Default: the first of `DEFAULT_FILES` that exists, unless there are hosts. */
  readonly config?: string | undefined
  /** The hosts whose servers are added. */
  readonly from: readonly string[]
}

/** A configuration, and the files that it was read from. */
export interface LoadedGateway {
  readonly config: GatewayConfig
  readonly files: readonly string[]
  /** The directory of the file, where the paths of stores, pins and logs start. */
  readonly directory: string
  /** The command-line options that select this configuration, each preceded by a space. */
  readonly options: string
  /** The values of variables in the configuration, and in those that were loaded with the same mask before. */
  readonly variables: VariableMask
}

/** The files that are tried in the working directory. */
const DEFAULT_FILES: readonly string[] = ['gateway.jsonc', 'gateway.json', 'gateway.toml', 'gateway.yaml', '.mcp.json']

const FORMATS: { readonly [extension: string]: 'json' | 'toml' | 'yaml' } = {
  '.json': 'json',
  '.jsonc': 'json',
  '.toml': 'toml',
  '.yaml': 'yaml',
  '.yml': 'yaml',
}

/** Reads the configuration of a gateway. @throws CliError that names the file, and everything that is wrong with it. */
export async function loadGateway(
  { config, from }: GatewaySource,
  variables: VariableMask = createVariableMask(),
): Promise<LoadedGateway> {
  const onVariable = variables.add
  const file = findFile(config, from.length > 0)
  const hosts = await Promise.all(from.map((host) => readHost(host, onVariable)))
  const servers = firstOfName(hosts.flatMap((host) => host.servers))
  const files = [...(file === undefined ? [] : [file]), ...hosts.flatMap((host) => host.files)]
  const directory = file === undefined ? process.cwd() : dirname(file)
  const text = file === undefined ? '{}' : await readText(file)
  const readOptions = {
    onVariable,
    ...(file !== undefined && { directory: projectDirectory(file), ...offInClaudeCode(file) }),
    ...formatOf(file),
    ...(from.length > 0 && { servers }),
  }
  const read = await readGatewayConfig(text, readOptions).catch((error: unknown) => {
    throw namingFile(error, file)
  })
  const options = [...(config === undefined ? [] : [` --config ${config}`]), ...from.map((host) => ` --from ${host}`)].join('')
  const ofHosts = new Set(servers.flatMap((server) => ('error' in server ? [server.error.message] : [])))
  const located = (text: string): string => (file === undefined || ofHosts.has(text) ? text : `${file}: ${text}`)
  const unusable = Object.fromEntries(Object.entries(read.unusable).map(([name, text]) => [name, located(text)]))
  return { config: { ...read, unusable, warnings: read.warnings.map(located) }, files, directory, options, variables }
}

function findFile(config: string | undefined, isOptional: boolean): string | undefined {
  if (config !== undefined) {
    const file = resolve(config.replace(/^~(?=[\\/])/, homedir))
    if (!existsSync(file)) throw usageError(`no such file: ${config}`)
    return file
  }
  if (isOptional) return undefined
  const found = DEFAULT_FILES.find((name) => existsSync(name))
  if (found === undefined)
    throw usageError('there is no configuration', `pass --config FILE or --from HOST, or create ${DEFAULT_FILES[0]}`)
  return resolve(found)
}

function formatOf(file: string | undefined): { format?: 'json' | 'toml' | 'yaml' } {
  const format = file === undefined ? undefined : FORMATS[extname(file)]
  return format === undefined ? {} : { format }
}

/** Returns one server for each name: that of the first file, since a project comes before its user. */
function firstOfName(servers: readonly ServerConfig[]): ServerConfig[] {
  const names = new Set<string>()
  return servers.filter(({ name }) => !names.has(name) && names.add(name))
}

interface HostServers {
  readonly servers: readonly ServerConfig[]
  readonly files: readonly string[]
}

/** Reads the servers of a host: those of the project in the working directory, and the user's. */
async function readHost(name: string, onVariable: VariableMask['add']): Promise<HostServers> {
  const host = Object.hasOwn(HOSTS, name) ? HOSTS[name] : undefined
  if (!host) throw usageError(`unknown host: ${name}`, didYouMean(name, Object.keys(HOSTS)))
  const userFile = host.file(currentSystem())
  const files = [...(host.project === undefined ? [] : [resolve(host.project)]), userFile].filter((file) => existsSync(file))
  if (files.length === 0) throw usageError(`${host.title} has no configuration`, `there is no ${userFile}`)
  const configs = await Promise.all(
    files.map(async (file) =>
      readConfig(await readText(file), {
        format: host.format,
        onVariable,
        ...offInClaudeCode(file),
        allowNoServers: true,
      }).catch((error: unknown) => {
        throw namingFile(error, file)
      }),
    ),
  )
  return { servers: configs.flatMap(({ servers }) => servers), files }
}

function readText(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw unreadable(file, error)
  })
}
