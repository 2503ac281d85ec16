import { KIND_OF_METHOD } from '../../compose/kinds.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { parseObject } from '../../jsonrpc/parse-object.ts'
import type { ListFailure, ServerInventory } from '../quality/inventory.ts'

/** The offer of a server at one time, as plain JSON. */
export interface ServerSnapshot {
  /** The name of the server. */
  readonly name: string
  /** The self-description of the server. */
  readonly info?: unknown
  /** The protocol version of the connection. */
  readonly revision?: string
  /** The declared capabilities. */
  readonly capabilities?: unknown
  /** The instructions for models. */
  readonly instructions?: string
  /** The tools. A list that is absent is not known, and not compared. */
  readonly tools?: readonly JsonObject[]
  /** The resources. */
  readonly resources?: readonly JsonObject[]
  /** The resource templates. */
  readonly templates?: readonly JsonObject[]
  /** The prompts. */
  readonly prompts?: readonly JsonObject[]
  /** The views whose pages were read. */
  readonly views?: readonly SnapshotView[]
}

/** The page of a view, as a snapshot keeps it. */
export interface SnapshotView {
  /** The URI of the view. */
  readonly uri: string
  /** The SHA-256 of its page, in hexadecimal digits. */
  readonly sha256: string
}

/** The members of a snapshot that hold the items of each kind. */
export const LIST_NAMES = { tool: 'tools', resource: 'resources', template: 'templates', prompt: 'prompts' } as const

/** Creates a snapshot from the lists of a server. Lists that could not be fetched are absent. */
export function createSnapshot(
  inventory: ServerInventory,
  revision?: string,
  failures: readonly ListFailure[] = [],
): ServerSnapshot {
  const { discovered, tools, resources, templates, prompts, views = [] } = inventory
  const { serverInfo, capabilities, instructions } = discovered
  const unknown = Object.fromEntries(failures.map(({ method }) => [listNameOf(method), undefined]))
  return plain({
    name: serverInfo?.name ?? 'server',
    info: serverInfo,
    revision,
    capabilities,
    instructions,
    tools,
    resources,
    templates,
    prompts,
    ...(views.length > 0 && { views: views.flatMap(({ uri, sha256 }) => (sha256 === undefined ? [] : [{ uri, sha256 }])) }),
    ...unknown,
  }) as unknown as ServerSnapshot
}

function plain(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject
}

/** Returns the contents of a snapshot file. */
export function writeSnapshot(...servers: readonly ServerSnapshot[]): string {
  return `${JSON.stringify({ portcall: 'snapshot', version: 1, servers }, null, 2)}\n`
}

/** Reads the first server of a snapshot file. Returns `undefined` if the text is none. @throws SyntaxError for a newer format. */
export function readSnapshot(text: string): ServerSnapshot | undefined {
  const document = parseObject(text)
  if (document?.portcall !== 'snapshot') return undefined
  if (document.version !== 1)
    throw new SyntaxError(`The snapshot has the version ${String(document.version)}; this version reads 1`)
  const [server] = Array.isArray(document.servers) ? (document.servers as unknown[]) : []
  if (!isObject(server)) throw new SyntaxError('The snapshot has no server')
  return { name: 'server', ...server } as unknown as ServerSnapshot
}

function listNameOf(method: string): string {
  const info = KIND_OF_METHOD.get(method)
  return info ? LIST_NAMES[info.kind] : method
}
