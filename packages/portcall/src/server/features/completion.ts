import { createUriLookup } from '../../../../util/src/normal-uri.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { invalidParams, unknownItem } from '../../protocol/errors.ts'
import type { Completion } from '../../protocol/types.ts'
import type { CallContext } from '../call.ts'
import type { Completer } from '../definitions.ts'
import { checkAccess } from './access.ts'
import type { PromptEntry, PromptRegistry } from './prompts.ts'
import { normalMatcherOf, type TemplateEntry, type TemplateRegistry } from './resources.ts'

/** Maximum number of suggestions in a result, set by the specification. */
const MAX_VALUES = 100

export interface CompletionRegistries {
  readonly prompts: PromptRegistry
  readonly templates: TemplateRegistry
}

/** Returns whether any enabled prompt or template has completers. */
export function hasCompleters({ prompts, templates }: CompletionRegistries): boolean {
  return [...prompts.entries(), ...templates.entries()].some(({ definition }) => definition.complete)
}

/** Creates the handler of `completion/complete`. https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion */
export function createComplete(registries: CompletionRegistries): (call: CallContext) => Promise<{ completion: Completion }> {
  return async (call) => {
    const { ref, argument, context } = call.request.params ?? {}
    if (!isObject(ref)) throw invalidParams('ref must be an object')
    if (!isObject(argument) || typeof argument.name !== 'string' || typeof argument.value !== 'string')
      throw invalidParams('argument must have a name and a value, both strings')
    const entry = findEntry(registries, ref)
    if (!entry || !(await checkAccess(entry, call)))
      throw ref.type === 'ref/prompt' ? unknownItem('prompt', ref.name) : unknownItem('resource template', ref.uri)
    const completers = (entry.definition.complete ?? {}) as { readonly [name: string]: Completer }
    const complete = Object.hasOwn(completers, argument.name) ? completers[argument.name] : undefined
    if (!complete) return { completion: { values: [], total: 0, hasMore: false } }
    const args = pickStrings(isObject(context) ? context.arguments : undefined)
    return { completion: toCompletion(await complete(argument.value, { arguments: args, call })) }
  }
}

/** Returns the entry that a reference names. @throws RpcError -32602 when the type of the reference is unknown. */
function findEntry({ prompts, templates }: CompletionRegistries, ref: JsonObject): PromptEntry | TemplateEntry | undefined {
  const { type, name, uri } = ref
  if (type === 'ref/prompt') return typeof name === 'string' ? prompts.get(name) : undefined
  if (type === 'ref/resource') return typeof uri === 'string' ? findTemplate(templates, uri) : undefined
  throw invalidParams('ref.type must be "ref/prompt" or "ref/resource"')
}

/** Finds a template by itself or by a URI that matches it. */
function findTemplate(templates: TemplateRegistry, uri: string): TemplateEntry | undefined {
  const entries = templates.entries()
  return (
    templates.get(uri) ??
    findInOtherSpelling(entries, uri) ??
    entries.find(({ template }) => template.match(uri)) ??
    entries.find((entry) => normalMatcherOf(entry)(uri))
  )
}

const findInOtherSpelling = createUriLookup((entries: readonly TemplateEntry[]) =>
  entries.map((entry) => [entry.template.template, entry] as const),
)

function toCompletion(suggestions: readonly string[] | Completion): Completion {
  if (Array.isArray(suggestions)) return truncate({ values: [...suggestions], total: suggestions.length })
  return truncate(suggestions as Completion)
}

function truncate({ values, total, hasMore }: Completion): Completion {
  return {
    values: values.slice(0, MAX_VALUES),
    ...(total === undefined ? {} : { total }),
    hasMore: hasMore ?? values.length > MAX_VALUES,
  }
}

/** Returns the members of an object that are strings. */
function pickStrings(value: unknown): Record<string, string> {
  const entries = isObject(value) ? Object.entries(value).filter(([, item]) => typeof item === 'string') : []
  return Object.fromEntries(entries) as Record<string, string>
}
