import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import { invalidParams } from '../protocol/errors.ts'
import type { Completion } from '../protocol/types.ts'
import type { CallContext } from './call.ts'
import type { Complete, Described } from './define.ts'
import { isVisible } from './lists.ts'
import type { PromptRegistry } from './prompts.ts'
import type { TemplateEntry, TemplateRegistry } from './resources.ts'
import { demandScopes } from './scopes.ts'

/** The most suggestions that one answer may carry. */
const MAX_VALUES = 100

export interface Completable {
  readonly prompts: PromptRegistry
  readonly templates: TemplateRegistry
}

/** Tells whether anything that is offered can be completed. */
export function canComplete({ prompts, templates }: Completable): boolean {
  return [...prompts.offered(), ...templates.offered()].some(({ definition }) => definition.complete)
}

/** Makes the handler of `completion/complete`. https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion */
export function createComplete(completable: Completable): (call: CallContext) => Promise<{ completion: Completion }> {
  return async (call) => {
    const { ref, argument, context } = call.request.params ?? {}
    if (!isObject(ref)) throw invalidParams('ref has to be an object')
    if (!isObject(argument) || typeof argument.name !== 'string' || typeof argument.value !== 'string')
      throw invalidParams('argument needs a name and a value, both strings')
    const completers = await findCompleters(completable, ref, call)
    const complete = Object.hasOwn(completers, argument.name) ? completers[argument.name] : undefined
    if (!complete) return { completion: { values: [], total: 0, hasMore: false } }
    const values = await complete(argument.value, { arguments: strings(isObject(context) ? context.arguments : undefined), call })
    return { completion: completion(values) }
  }
}

/** What is referred to, if the caller may see it. */
type Find = (
  completable: Completable,
  ref: JsonObject,
  call: CallContext,
) => Promise<{ definition: Described & { complete?: object } } | undefined>

const FINDERS: { readonly [type: string]: Find } = {
  'ref/prompt': async ({ prompts }, { name }, call) => {
    const prompt = typeof name === 'string' ? prompts.get(name) : undefined
    return prompt && (await isVisible(prompt, call)) ? prompt : undefined
  },
  'ref/resource': async ({ templates }, { uri }, call) => {
    const template = typeof uri === 'string' ? templateOf(templates, uri) : undefined
    return template && (await isVisible(template, call)) ? template : undefined
  },
}

/** The completers of what is referred to. @throws RpcError -32602 when there is no such thing. */
async function findCompleters(
  completable: Completable,
  ref: JsonObject,
  call: CallContext,
): Promise<{ readonly [name: string]: Complete }> {
  const find = typeof ref.type === 'string' && Object.hasOwn(FINDERS, ref.type) ? FINDERS[ref.type] : undefined
  if (!find) throw invalidParams('ref.type has to be "ref/prompt" or "ref/resource"')
  const found = await find(completable, ref, call)
  if (!found) throw invalidParams(`nothing is offered as ${String(ref.name ?? ref.uri).slice(0, 128)}`)
  demandScopes([found], call)
  return (found.definition.complete ?? {}) as { [name: string]: Complete }
}

/** A reference may hold the template itself or a URI made from it. */
function templateOf(templates: TemplateRegistry, uri: string): TemplateEntry | undefined {
  return templates.get(uri) ?? templates.offered().find(({ template }) => template.match(uri))
}

function completion(found: readonly string[] | Completion): Completion {
  if (Array.isArray(found)) return cut({ values: [...found], total: found.length })
  return cut(found as Completion)
}

function cut({ values, total, hasMore }: Completion): Completion {
  const shown = values.slice(0, MAX_VALUES)
  return { values: shown, ...(total === undefined ? {} : { total }), hasMore: hasMore ?? values.length > MAX_VALUES }
}

function strings(value: unknown): Record<string, string> {
  const entries = isObject(value) ? Object.entries(value).filter(([, item]) => typeof item === 'string') : []
  return Object.fromEntries(entries) as Record<string, string>
}
