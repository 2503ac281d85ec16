import type { JsonObject } from '../../jsonrpc/message.ts'
import { LIST_CAPABILITIES, type ListChange } from '../../protocol/methods.ts'
import { MODERN_VERSIONS } from '../../protocol/revisions.ts'
import type { CacheHint, DiscoverResult, ServerCapabilities } from '../../protocol/types.ts'
import type { DeclarableCapability } from '../extension.ts'
import type { ServerOptions } from '../options.ts'
import { hasCompleters } from './completion.ts'
import type { Registries } from './registries.ts'

/** The capabilities that a server declares, which depend on what is registered and on the options. */
export interface Capabilities {
  /** Returns whether the server declares a capability. */
  has(capability: keyof ServerCapabilities): boolean
  /** Declares a capability whether or not anything of its kind is registered. */
  declare(capability: DeclarableCapability): void
  /** Returns all declared capabilities with their settings. */
  current(): ServerCapabilities
  /** Returns whether the server sends notifications when a list changes. */
  announces(list: ListChange): boolean
}

const SETTINGS: { readonly [capability in keyof ServerCapabilities]: JsonObject } = {
  tools: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
}

export function createCapabilities(registries: Registries, { capabilities = [], extensions = [] }: ServerOptions): Capabilities {
  const { tools, resources, templates, prompts } = registries
  const always = new Set<keyof ServerCapabilities>([
    'logging',
    ...capabilities,
    ...extensions.flatMap((extension) => extension.capabilities ?? []),
  ])
  const extensionSettings = Object.fromEntries(extensions.map(({ id, settings = {} }) => [id, settings]))

  const others: JsonObject = Object.assign({}, ...extensions.map(({ otherCapabilities }) => otherCapabilities))

  const has = (capability: keyof ServerCapabilities): boolean => {
    if (always.has(capability)) return true
    switch (capability) {
      case 'tools':
        return tools.isUsed
      case 'resources':
        return resources.isUsed || templates.isUsed
      case 'prompts':
        return prompts.isUsed
      case 'completions':
        return hasCompleters(registries)
      default:
        return false
    }
  }

  return {
    has,
    declare: (capability) => void always.add(capability),
    current() {
      const declared = Object.entries(SETTINGS).filter(([capability]) => has(capability as keyof ServerCapabilities))
      return { ...others, ...Object.fromEntries(declared), ...(extensions.length > 0 && { extensions: extensionSettings }) }
    },
    announces: (list) => has(LIST_CAPABILITIES[list]),
  }
}

export interface DiscoverOptions {
  readonly capabilities: Capabilities
  readonly instructions: string | undefined
  readonly cacheHint: () => CacheHint
}

/** Creates the handler of `server/discover`. https://modelcontextprotocol.io/specification/2026-07-28/server/discover */
export function createDiscover({ capabilities, instructions, cacheHint }: DiscoverOptions): () => DiscoverResult {
  return () => ({
    supportedVersions: [...MODERN_VERSIONS],
    capabilities: capabilities.current(),
    ...(instructions === undefined ? {} : { instructions }),
    ...cacheHint(),
  })
}
