import { readFile } from 'node:fs/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { ApiCredentialSource, ApiOperation, OpenApiOptions, OpenApiServer } from 'portcall/openapi'
import { matchesGlob } from '../../../util/src/glob.ts'
import { CliError, unreadable, usageError } from '../cli-error.ts'
import { type Command, defineCommand, type ValuesOf } from '../command.ts'
import { expandFlag, readHeaderFlags } from '../command-line/flag-values.ts'
import { LISTEN_FLAGS, PORT_FLAG, STDIO_FLAG } from '../command-line/listen-flags.ts'
import type { Io } from '../io.ts'
import { serveOverHttp, serveOverStdio } from './serve.ts'

const FLAGS = {
  include: {
    type: 'string',
    multiple: true,
    value: 'PATTERN',
    description: 'Serve only these operations: "GET /repos/**", a tag or an operation id; repeatable',
  },
  exclude: { type: 'string', multiple: true, value: 'PATTERN', description: 'Do not serve these operations; repeatable' },
  resources: { type: 'boolean', description: 'Serve GET operations as resources where possible' },
  'base-url': {
    type: 'string',
    multiple: true,
    value: 'URL',
    description:
      'Base URL of the API (default: the first server of the description); ORIGIN=URL for operations with servers at another origin',
  },
  header: {
    type: 'string',
    short: 'H',
    multiple: true,
    value: 'NAME:VALUE',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: how users write it
    description: 'Add a header to every request to the API, with ${NAME} for environment variables',
  },
  auth: {
    type: 'string',
    multiple: true,
    value: 'SCHEME=VALUE',
    description: 'Credential for a security scheme; SCHEME=$NAME reads an environment variable; basic: USER:PASSWORD',
  },
  list: { type: 'boolean', description: 'List the operations and what is not supported, and exit' },
  ...LISTEN_FLAGS,
  port: PORT_FLAG,
  stdio: STDIO_FLAG,
} as const

/** `portcall openapi` */
export const openapiCommand: Command = defineCommand({
  name: 'openapi',
  summary: 'Serve the API of an OpenAPI description',
  serverUse: 'none',
  args: ['<file-or-url>'],
  details: [
    'Each operation of the description becomes a tool. The description is OpenAPI 3.0, 3.1 or 3.2, in JSON or YAML. A file may refer to other files in its directory and below.',
    'In patterns, * stands for one segment of a path and ** for any number. Everyone who can reach the server uses your credentials, so it listens only on this machine unless you pass --host.',
  ],
  flags: FLAGS,
  examples: [
    'portcall openapi petstore.yaml --list',
    'portcall openapi petstore.yaml --include "GET /pets/**" --stdio',
    'portcall openapi https://api.example.com/openapi.json --auth "bearerAuth=$TOKEN" --port 8080',
  ],
  async run({ args: [source = ''], flags, io }) {
    process.exitCode = 0
    const server = await createApiServer(source, flags)
    if (flags.list) return listApi(server, io)
    return flags.stdio ? serveOverStdio(server) : serveOverHttp(server, flags, io)
  },
})

type FlagValues = ValuesOf<typeof FLAGS>

async function createApiServer(source: string, flags: FlagValues): Promise<OpenApiServer> {
  const { fromOpenAPI } = await import('portcall/openapi')
  const { description, ...fileOptions } = await readDescription(source)
  const baseUrls = flags['base-url'].flatMap(readBaseUrl)
  const [baseUrl, second] = flags['base-url'].filter((text) => readBaseUrl(text).length === 0)
  if (baseUrl !== undefined && !/^https?:/.test(baseUrl)) throw usageError(`--base-url must be an http URL, not ${baseUrl}`)
  if (second !== undefined)
    throw usageError('--base-url is given twice', 'write --base-url ORIGIN=URL for operations with other servers')
  const unmatched = new Set([...flags.include, ...flags.exclude])
  const note = (operation: ApiOperation): void => {
    for (const pattern of unmatched) if (matchesOperation(operation, pattern)) unmatched.delete(pattern)
  }
  const options: OpenApiOptions = {
    ...fileOptions,
    headers: readHeaderFlags(flags.header),
    auth: Object.fromEntries(flags.auth.map((text) => readCredential(text))),
    ...(baseUrl !== undefined && { baseUrl }),
    baseUrls: Object.fromEntries(baseUrls),
    customize: (operation) => {
      note(operation)
      if (!isWanted(operation, flags)) return false
      return flags.resources && operation.method === 'GET' ? { to: 'resource' } : undefined
    },
  }
  const server = await fromOpenAPI(description, options).catch((error: unknown) => {
    throw new CliError('usage', error instanceof Error ? error.message : String(error), { cause: error })
  })
  const [wrong] = unmatched
  if (wrong !== undefined)
    throw usageError(
      `${JSON.stringify(wrong)} matches no operation`,
      'see the operations with --list, without --include and --exclude',
    )
  if (server.openapi.operations.length === 0)
    throw usageError(`${source} has no operation to serve`, 'check --include and --exclude')
  return server
}

type Description = Pick<OpenApiOptions, 'url' | 'external'> & { readonly description: string | URL }

/** Reads a description. One in a file may refer to files in its directory and below. */
async function readDescription(source: string): Promise<Description> {
  if (/^https?:\/\//.test(source)) return { description: new URL(source) }
  const url = pathToFileURL(source)
  const directory = new URL('.', url).href
  const external = async (target: string): Promise<string> => {
    const location = new URL(target, url)
    if (!location.href.startsWith(directory)) throw usageError(`${source} refers to ${target}, which is outside of its directory`)
    return readFile(fileURLToPath(location), 'utf8')
  }
  const description = await readFile(source, 'utf8').catch((error: unknown) => {
    throw unreadable(source, error)
  })
  return { description, url, external }
}

/** Reads `ORIGIN=URL`, the base URL of operations with servers at another origin. */
function readBaseUrl(text: string): [string, string][] {
  const [, origin, url] = /^(https?:\/\/[^/=?#]+)=(https?:\/\/.+)$/.exec(text) ?? []
  return origin !== undefined && url !== undefined ? [[origin, url]] : []
}

function splitPair(text: string, separator: string, flag: string): [string, string] {
  const at = text.indexOf(separator)
  if (at < 1) throw usageError(`${flag} must have the form NAME${separator}VALUE`)
  return [text.slice(0, at).trim(), text.slice(at + 1).trim()]
}

function readCredential(text: string): [string, ApiCredentialSource] {
  const [scheme, value] = splitPair(text, '=', '--auth')
  return [
    scheme,
    expandFlag(
      value.replace(/^\$([A-Za-z_]\w*)$/, (_variable, name) => `\${${name}}`),
      `--auth ${scheme}`,
    ),
  ]
}

function isWanted(operation: ApiOperation, { include, exclude }: FlagValues): boolean {
  const matches = (pattern: string): boolean => matchesOperation(operation, pattern)
  return (include.length === 0 || include.some(matches)) && !exclude.some(matches)
}

/** Reports whether a pattern is the id or a tag of an operation, or matches its path, with or without the method. */
function matchesOperation({ id, path, operationId, tags }: ApiOperation, pattern: string): boolean {
  const withMethod = pattern.replace(/^[a-z]+(?= )/, (method) => method.toUpperCase())
  return [operationId ?? '', ...tags, path].some((text) => matchesGlob(text, pattern)) || matchesGlob(id, withMethod)
}

function listApi({ openapi }: OpenApiServer, io: Io): void {
  const { operations, issues } = openapi
  if (io.json) return io.value({ operations, issues })
  for (const { id, servedAs, target } of operations) io.line(`${target} ${servedAs}  ${id}`)
  for (const { where, problem } of issues) io.log(`${where}: ${problem}`)
}
