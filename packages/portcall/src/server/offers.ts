import type { JsonObject } from '../jsonrpc/message.ts'
import { LIST_OWNERS, type ListChange } from '../protocol/methods.ts'
import type { ServerCapabilities } from '../protocol/types.ts'
import type { DescribeTool } from './around.ts'
import { canComplete } from './completion.ts'
import type { ResourceDefinition } from './define.ts'
import type { ServerOptions } from './options.ts'
import { type AnyPromptDefinition, createPrompt, type PromptEntry, type PromptRegistry } from './prompts.ts'
import { createRegistry } from './registry.ts'
import {
  type AnyTemplateDefinition,
  createResource,
  createTemplate,
  type ResourceEntry,
  type ResourceRegistry,
  type TemplateEntry,
  type TemplateRegistry,
} from './resources.ts'
import { type AnyToolDefinition, type AnyToolHandler, createTool, type ToolEntry, type ToolRegistry } from './tools.ts'

/** All that a server offers: its four registries. */
export interface Offers {
  readonly tools: ToolRegistry
  readonly resources: ResourceRegistry
  readonly templates: TemplateRegistry
  readonly prompts: PromptRegistry
  /** Makes a tool as lists are to show it. @throws SchemaError when one of its schemas cannot be used. */
  makeTool(name: string, definition: AnyToolDefinition, handler: AnyToolHandler): ToolEntry
}

/** Makes the registries; `announce` hears of each list that changed, once a tick. */
export function createOffers(announce: (list: ListChange) => void, describing: readonly DescribeTool[]): Offers {
  const makeTool: Offers['makeTool'] = (name, definition, handler) => {
    const tool = createTool(name, definition, handler)
    Object.assign(tool.wire, ...describing.map((describe) => describe(definition)))
    return tool
  }
  return {
    makeTool,
    tools: createRegistry<AnyToolDefinition, ToolEntry>(
      ({ wire, handler }, definition) => makeTool(wire.name, definition, handler),
      () => announce('toolsListChanged'),
    ),
    resources: createRegistry<ResourceDefinition, ResourceEntry>(
      ({ wire, handler }, definition) => createResource(wire.uri, definition, handler),
      () => announce('resourcesListChanged'),
    ),
    templates: createRegistry<AnyTemplateDefinition, TemplateEntry>(
      ({ wire, handler }, definition) => createTemplate(wire.uriTemplate, definition, handler),
      () => announce('resourcesListChanged'),
    ),
    prompts: createRegistry<AnyPromptDefinition, PromptEntry>(
      ({ wire, handler }, definition) => createPrompt(wire.name, definition, handler),
      () => announce('promptsListChanged'),
    ),
  }
}

/** What a server declares: what it has registered, and what its author says it will. */
export interface Declared {
  has(capability: keyof ServerCapabilities): boolean
  capabilities(): ServerCapabilities
  /** Whether it tells of the changes of a list. */
  tells(list: ListChange): boolean
}

const SETTINGS: { readonly [capability in keyof ServerCapabilities]: JsonObject } = {
  tools: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
}

export function createDeclared(offers: Offers, { declare = [], extensions = [] }: ServerOptions): Declared {
  const { tools, resources, templates, prompts } = offers
  const anyway: ReadonlyArray<keyof ServerCapabilities> = [...declare, ...extensions.flatMap(({ requires = [] }) => requires)]
  const spoken = Object.fromEntries(extensions.map(({ id, settings = {} }) => [id, settings]))
  const offered: { readonly [capability in keyof ServerCapabilities]: () => boolean } = {
    tools: () => tools.used,
    resources: () => resources.used || templates.used,
    prompts: () => prompts.used,
    completions: () => canComplete(offers),
    logging: () => true,
    extensions: () => extensions.length > 0,
  }
  const has = (capability: keyof ServerCapabilities): boolean => offered[capability]?.() === true || anyway.includes(capability)

  return {
    has,
    capabilities() {
      const all = Object.entries(SETTINGS).filter(([capability]) => has(capability as keyof ServerCapabilities))
      return { ...Object.fromEntries(all), ...(extensions.length > 0 && { extensions: spoken }) }
    },
    tells: (list) => has(LIST_OWNERS[list]),
  }
}
