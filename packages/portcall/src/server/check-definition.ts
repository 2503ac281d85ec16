/** Checks what is registered on a server, since JavaScript passes anything. The messages say what to change. */

import { checkOptions, type KnownOptions, type OptionNames } from '../../../util/src/check-options.ts'
import { describe } from '../../../util/src/describe.ts'
import { TOOL_AUDIENCES } from '../protocol/apps.ts'
import type { Annotations, CacheHint, Icon, ToolAnnotations } from '../protocol/types.ts'
import type { BaseDefinition, PromptDefinition, ResourceDefinition, TemplateDefinition, ToolDefinition } from './definitions.ts'
import type { ToolDefinitionExtensions } from './tool-definition-extensions.ts'
import type { TextToolView, ToolView } from './tool-view.ts'

type Anything = undefined

const BASE: OptionNames<BaseDefinition> = {
  title: 'text',
  description: 'text',
  icons: 'array',
  _meta: 'object',
  visible: 'function',
  scopes: 1,
  onInsufficientScope: ['challenge', 'hide'],
}
const TOOL: OptionNames<Omit<ToolDefinition<Anything, Anything>, keyof ToolDefinitionExtensions>> = {
  ...BASE,
  input: 1,
  output: 1,
  annotations: 'object',
  timeoutMs: 1,
  visibility: 'array',
  view: 1,
}
const RESOURCE: OptionNames<ResourceDefinition & TemplateDefinition<Anything>> = {
  ...BASE,
  name: 'text',
  mimeType: 'text',
  annotations: 'object',
  size: 'number',
  cache: 'object',
  maxBytes: 1,
  variables: 1,
  list: 'function',
  complete: 'object',
}
const PROMPT: OptionNames<PromptDefinition<Anything>> = { ...BASE, arguments: 1, complete: 'object' }

/** The options of `task`, which the tasks extension adds. */
const TASK = { support: 1, createAt: 1, ttlMs: 1, pollIntervalMs: 1 }
const TASK_ADVICE = {
  mode: 'Use "support"',
  taskSupport: 'Use "support"',
  ttl: 'Use "ttlMs"',
  pollInterval: 'Use "pollIntervalMs"',
}

/** The members of a cache hint, with advice on names of other libraries. */
export const CACHE_HINT: KnownOptions = {
  names: { ttlMs: 1, cacheScope: ['public', 'private'] } satisfies OptionNames<CacheHint>,
  advice: { scope: 'Use "cacheScope"', ttl: 'Use "ttlMs"' },
}

/** The members of options that are objects or arrays of objects. Protocol objects may have members of vendors, so that only misspelled ones are refused. */
const MEMBERS: { readonly [member: string]: KnownOptions } = {
  task: { names: TASK, advice: TASK_ADVICE },
  cache: CACHE_HINT,
  annotations: {
    names: {
      title: 'text',
      readOnlyHint: 'boolean',
      destructiveHint: 'boolean',
      idempotentHint: 'boolean',
      openWorldHint: 'boolean',
      audience: 'texts',
      priority: 'number',
      lastModified: 'text',
    } satisfies OptionNames<ToolAnnotations & Annotations>,
    isOpen: true,
  },
  icons: {
    names: { src: 'text', mimeType: 'text', sizes: 'texts', theme: ['light', 'dark'] } satisfies OptionNames<Icon>,
    advice: { url: 'Use "src"' },
    isOpen: true,
  },
}

function checkMembers(where: string, definition: object): void {
  for (const [name, value] of Object.entries(definition)) {
    const known = Object.hasOwn(MEMBERS, name) ? MEMBERS[name] : undefined
    if (!known) continue
    for (const item of [value].flat())
      if (typeof item === 'object' && item !== null) checkOptions(`${where}: ${name}`, item, known)
  }
}

const TASK_SUPPORTS: readonly unknown[] = ['optional', 'required']

function checkTask(where: string, { task }: { task?: unknown }, { isOpen, hasTasks }: RegisteredItem): void {
  if (task === undefined) return
  const support = typeof task === 'object' && task !== null ? (task as { support?: unknown }).support : task
  if (!TASK_SUPPORTS.includes(support))
    throw new TypeError(
      `${where}: task must be 'optional' or 'required', or an object with this as "support", not ${describe(support)}`,
    )
  if (!hasTasks && !isOpen)
    throw new TypeError(
      `${where}: task needs the tasks extension: createServer(info, { extensions: [tasks()] }), with tasks from portcall/tasks`,
    )
}

/** Checks the members of a tool that concern views, when it is registered or changed. @throws TypeError. */
export function checkToolView(
  where: string,
  { view, visibility = [], output }: { readonly view?: unknown; readonly visibility?: unknown; readonly output?: unknown },
): void {
  if (!Array.isArray(visibility))
    throw new TypeError(`${where}: visibility must be an array of 'model' and 'app', not ${describe(visibility)}`)
  for (const audience of visibility)
    if (!TOOL_AUDIENCES.includes(audience))
      throw new TypeError(`${where}: visibility must be an array of 'model' and 'app', not of ${describe(audience)}`)
  if (view === undefined) return
  if (typeof (view as Partial<ToolView> | null)?.['~bind'] !== 'function')
    throw new TypeError(`${where}: view must be what view(…) of portcall/apps/server returned, not ${describe(view)}`)
  if (output === undefined && (view as Partial<TextToolView>).text !== true)
    throw new TypeError(
      `${where}: the view reads structured content, but the tool has no "output" schema. Add one, or use view(source, { text: true }) for a view that reads the text of results`,
    )
}

const HANDLER = 'The handler is the third argument'

/** The method that registers an item. */
export type ItemKind = 'tool' | 'resource' | 'prompt'

/** The options of each kind of item, and those of other libraries. */
const KINDS: { readonly [kind in ItemKind]: KnownOptions } = {
  tool: {
    // The tasks extension adds `task`.
    names: { ...TOOL, task: 1 },
    advice: {
      parameters: 'Use "input"',
      inputSchema: 'Use "input"',
      outputSchema: 'Use "output"',
      execute: HANDLER,
      handler: HANDLER,
      timeout: 'Use "timeoutMs"',
      ui: 'Use "view" with view(…) of portcall/apps/server',
      app: 'Use "view" with view(…) of portcall/apps/server',
      resourceUri: 'Use "view" with view(…) of portcall/apps/server',
    },
  },
  resource: { names: RESOURCE, advice: { read: HANDLER, handler: HANDLER } },
  prompt: { names: PROMPT, advice: { argsSchema: 'Use "arguments"', handler: HANDLER } },
}

const TOOL_NAME = /^[\w./-]{1,128}$/

/** The parts that are passed to `server.tool`, `server.resource` or `server.prompt`. */
export interface RegisteredItem {
  readonly name: unknown
  readonly definition: unknown
  readonly handler: unknown
  /** True if extensions may add options. */
  readonly isOpen: boolean
  /** Set if the tasks extension is one of them. */
  readonly hasTasks: boolean
}

/** Checks the arguments of the method that registers an item. @throws TypeError. */
export function checkDefinition(kind: ItemKind, item: RegisteredItem): void {
  const { name, definition, handler, isOpen } = item
  const first = kind === 'resource' ? 'uri' : 'name'
  const usage = `server.${kind}(${first}, definition, handler)`
  if (typeof name !== 'string' || name === '') throw new TypeError(`${usage}: ${first} must be a string, not ${describe(name)}`)
  const where = `server.${kind}(${JSON.stringify(name)})`
  if (kind === 'tool' && !TOOL_NAME.test(name))
    throw new TypeError(`${where}: the name of a tool has 1 to 128 letters, digits, "_", "-", "." or "/"`)
  if (typeof definition === 'function') throw new TypeError(`${where}: the definition is missing. Use ${usage}`)
  checkOptions(where, definition, { ...KINDS[kind], isOpen })
  checkMembers(where, definition as object)
  if (kind === 'tool') checkTask(where, definition as { task?: unknown }, item)
  const { scopes } = definition as BaseDefinition
  if (scopes && !Array.isArray(scopes)) throw new TypeError(`${where}: scopes must be an array of strings: [${describe(scopes)}]`)
  if (typeof handler !== 'function')
    throw new TypeError(`${where}: the handler must be a function, not ${describe(handler)}. Use ${usage}`)
}
