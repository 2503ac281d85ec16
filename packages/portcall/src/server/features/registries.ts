import type { ListChange } from '../../protocol/methods.ts'
import { checkToolView } from '../check-definition.ts'
import type { ResourceDefinition } from '../definitions.ts'
import type { ToolListingExtender } from '../extension.ts'
import type { ViewHost } from '../tool-view.ts'
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

/** The four registries of a server. */
export interface Registries {
  readonly tools: ToolRegistry
  readonly resources: ResourceRegistry
  readonly templates: TemplateRegistry
  readonly prompts: PromptRegistry
  /** Creates the entry of a tool, including the members that extensions add to its listing. @throws SchemaError when a schema is invalid. */
  createTool(name: string, definition: AnyToolDefinition, handler: AnyToolHandler): ToolEntry
}

/** Creates the registries of a server. `onListChanged` is called once per tick for each list that changed; `viewHost` is called when a tool has a view. */
export function createRegistries(
  onListChanged: (list: ListChange) => void,
  listingExtenders: readonly ToolListingExtender[],
  viewHost: () => ViewHost,
): Registries {
  const createExtendedTool: Registries['createTool'] = (name, definition, handler) => {
    checkToolView(`The tool ${JSON.stringify(name)}`, definition)
    const tool = createTool(name, definition, handler)
    const meta = tool.listing._meta ?? {}
    const bound = definition.view?.['~bind']({ name, scopes: definition.scopes, meta }, viewHost())
    Object.assign(tool.listing, ...listingExtenders.map((extend) => extend(definition)), bound?.listing)
    return bound ? { ...tool, finish: bound.finish } : tool
  }
  return {
    createTool: createExtendedTool,
    tools: createRegistry<AnyToolDefinition, ToolEntry>(
      ({ listing, handler }, definition) => createExtendedTool(listing.name, definition, handler),
      () => onListChanged('toolsListChanged'),
    ),
    resources: createRegistry<ResourceDefinition, ResourceEntry>(
      ({ listing, handler }, definition) => createResource(listing.uri, definition, handler),
      () => onListChanged('resourcesListChanged'),
    ),
    templates: createRegistry<AnyTemplateDefinition, TemplateEntry>(
      ({ listing, handler }, definition) => createTemplate(listing.uriTemplate, definition, handler),
      () => onListChanged('resourcesListChanged'),
    ),
    prompts: createRegistry<AnyPromptDefinition, PromptEntry>(
      ({ listing, handler }, definition) => createPrompt(listing.name, definition, handler),
      () => onListChanged('promptsListChanged'),
    ),
  }
}
