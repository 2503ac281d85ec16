import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { EVENTS_EXTENSION } from '../../protocol/events.ts'
import { declaredSettings } from '../../protocol/extensions.ts'
import { MetaKey } from '../../protocol/meta.ts'
import { MODERN_VERSIONS } from '../../protocol/revisions.ts'
import type { Implementation, ServerCapabilities } from '../../protocol/types.ts'
import { SELF } from '../api/self.ts'
import type { Caller } from '../policy/caller.ts'
import type { GatewayUpstream } from '../upstreams/upstream.ts'
import { isAtPath, mayKnowServer } from './known-servers.ts'
import { failIfRequired } from './list-items.ts'

export interface GatewayDiscoverOptions {
  readonly info: Implementation
  readonly instructions: string | undefined
}

const MAX_INSTRUCTIONS_LENGTH = 16_384
/** https://modelcontextprotocol.io/extensions/skills */
export const SKILLS_EXTENSION = 'io.modelcontextprotocol/skills'
/** The capabilities of a server that has not answered yet: any may be there. */
const UNKNOWN_CAPABILITIES: ServerCapabilities = { tools: {}, resources: {}, prompts: {}, completions: {}, logging: {} }
/** The capabilities that the gateway adds: it announces when servers come and go. */
const SETTINGS: { readonly [capability: string]: JsonObject } = {
  tools: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  prompts: { listChanged: true },
}

/** Answers `server/discover` with the servers that respond in time. */
export async function discoverAll(
  all: readonly GatewayUpstream[],
  caller: Caller,
  options: GatewayDiscoverOptions,
): Promise<JsonObject> {
  const upstreams = all.filter((upstream) => isAtPath(upstream, caller))
  const lookups = await Promise.all(upstreams.map(({ catalogue, listWaitMs }) => catalogue.discover(caller, listWaitMs)))
  const missing = new Map(upstreams.flatMap(({ name }, at) => (lookups[at]?.value ? [] : [[name, lookups[at]?.error] as const])))
  const known = upstreams.filter((upstream) => mayKnowServer(upstream, caller))
  failIfRequired({ missing }, known)
  const capabilities = upstreams.flatMap(({ name }, at) => {
    const own = lookups[at]?.value?.capabilities
    return own ? [name === SELF ? own : withOwnEvents(own)] : []
  })
  const instructions = joinInstructions(
    options.instructions,
    known.map((upstream) => [upstream.name, lookups[upstreams.indexOf(upstream)]?.value?.discovered.instructions]),
  )
  return {
    resultType: 'complete',
    supportedVersions: [...MODERN_VERSIONS],
    capabilities: mergeCapabilities(missing.size > 0 ? [...capabilities, UNKNOWN_CAPABILITIES] : capabilities),
    ...(instructions !== undefined && { instructions }),
    ttlMs: 0,
    cacheScope: 'private',
    _meta: { [MetaKey.serverInfo]: options.info },
  }
}

/** Returns the capabilities of a server with the settings of the Events extension that the gateway declares instead; only clients of the newest revision get it. */
export function withOwnEvents<C extends { readonly extensions?: unknown }>(capabilities: C): C {
  const { extensions } = capabilities
  if (!isObject(extensions) || !isObject(extensions[EVENTS_EXTENSION])) return capabilities
  const own = declaredSettings({ id: EVENTS_EXTENSION, settings: { listChanged: true }, legacy: false })
  return { ...capabilities, extensions: { ...extensions, [EVENTS_EXTENSION]: own } }
}

/** Returns the capabilities that any of the servers has. */
function mergeCapabilities(all: readonly ServerCapabilities[]): JsonObject {
  const merged: JsonObject = {}
  for (const capabilities of all)
    for (const [name, settings] of Object.entries(capabilities)) merged[name] = mergeSettings(name, merged[name], settings)
  return withSharedSkills(merged, all)
}

/** Clients may read each directory of skills if they may read any: the gateway declares it if all servers with skills do. */
function withSharedSkills(merged: JsonObject, all: readonly ServerCapabilities[]): JsonObject {
  const settings = all.flatMap(({ extensions }) => extensions?.[SKILLS_EXTENSION] ?? [])
  if (settings.length < 2 || !isObject(merged.extensions)) return merged
  const directoryRead = settings.every((one) => isObject(one) && one.directoryRead === true)
  return { ...merged, extensions: { ...merged.extensions, [SKILLS_EXTENSION]: directoryRead ? { directoryRead } : {} } }
}

function mergeSettings(name: string, one: unknown, other: unknown): unknown {
  if (SETTINGS[name]) return SETTINGS[name]
  return isObject(one) && isObject(other) ? { ...other, ...one } : (one ?? other)
}

/** Puts the name of each server above its instructions. */
function joinInstructions(
  own: string | undefined,
  all: readonly (readonly [server: string, instructions: unknown])[],
): string | undefined {
  const parts = all.flatMap(([server, text]) =>
    typeof text === 'string' && text !== ''
      ? [`${server === SELF ? '' : `## ${server}\n\n`}${text.slice(0, MAX_INSTRUCTIONS_LENGTH)}`]
      : [],
  )
  const texts = own === undefined ? parts : [own, ...parts]
  return texts.length > 0 ? texts.join('\n\n') : undefined
}
