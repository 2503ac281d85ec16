import type { ListChange } from '../protocol/methods.ts'
import type { ServerCapabilities } from '../protocol/types.ts'

/** The kinds of items that servers list. */
export type ListedKind = 'tool' | 'prompt' | 'resource' | 'template'

/** How servers list one kind of item. */
export interface KindInfo {
  readonly kind: ListedKind
  /** The method that lists the items, and the member of its result that holds them. */
  readonly method: string
  readonly key: string
  /** The member that identifies an item. */
  readonly id: 'name' | 'uri' | 'uriTemplate'
  readonly capability: keyof ServerCapabilities
  /** The member of the subscription filter for changes of the list. */
  readonly change: ListChange
  /** The rules that apply to the items. */
  readonly rules: 'tools' | 'prompts' | 'resources'
}

/** How each kind of item is listed. */
export const KINDS: { readonly [kind in ListedKind]: KindInfo } = {
  tool: {
    kind: 'tool',
    method: 'tools/list',
    key: 'tools',
    id: 'name',
    capability: 'tools',
    change: 'toolsListChanged',
    rules: 'tools',
  },
  prompt: {
    kind: 'prompt',
    method: 'prompts/list',
    key: 'prompts',
    id: 'name',
    capability: 'prompts',
    change: 'promptsListChanged',
    rules: 'prompts',
  },
  resource: {
    kind: 'resource',
    method: 'resources/list',
    key: 'resources',
    id: 'uri',
    capability: 'resources',
    change: 'resourcesListChanged',
    rules: 'resources',
  },
  template: {
    kind: 'template',
    method: 'resources/templates/list',
    key: 'resourceTemplates',
    id: 'uriTemplate',
    capability: 'resources',
    change: 'resourcesListChanged',
    rules: 'resources',
  },
}

/** The kinds by the method that lists them. */
export const KIND_OF_METHOD: ReadonlyMap<string, KindInfo> = new Map(Object.values(KINDS).map((info) => [info.method, info]))
