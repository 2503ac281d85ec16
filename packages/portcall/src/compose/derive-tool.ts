import { isObject, type JsonObject, type JsonValue } from '../jsonrpc/message.ts'
import { compileSchema } from '../schema/compile.ts'
import type { Schema } from '../schema/standard.ts'
import type { Call } from '../server/call.ts'
import type { DefinedTool } from '../server/define-tool.ts'
import type { BaseToolDefinition } from '../server/definitions.ts'
import { ToolError } from '../server/errors.ts'
import { applySettings, changeSchema } from './transforms/arguments.ts'

/** A value of an argument, or a function of the call that returns it. */
export type DerivedValue<V> = V | ((call: Call) => V | Promise<V>)

/** How a derived tool sets an argument: always, or if the caller leaves it out. */
export type DerivedArgument<V> =
  | {
      /** The value that the argument always has. The derived tool does not have the argument. */
      readonly fixed: DerivedValue<V>
    }
  | {
      /** The value that the argument has if the caller leaves it out. */
      readonly default: DerivedValue<V>
    }

/** How a derived tool differs from the tool it is derived from. */
export interface DerivedDefinition<A, I = unknown>
  extends Pick<BaseToolDefinition, 'title' | 'description' | 'annotations' | 'visible' | 'scopes' | '_meta'> {
  /** Values for arguments. An argument with a fixed value is removed from the schema; one with a default becomes optional. */
  readonly arguments?: A & DerivedArguments<I>
}

type AnyToolType = { input: unknown; output: unknown }
/** How a derived tool sets arguments, by name. */
export type DerivedArguments<I> = { readonly [name in keyof I]?: DerivedArgument<I[name]> }
type FixedNames<A> = { [name in keyof A]: A[name] extends { readonly fixed: unknown } ? name : never }[keyof A]
type DefaultNames<A> = { [name in keyof A]: A[name] extends { readonly default: unknown } ? name : never }[keyof A]
type Flat<T> = { [name in keyof T]: T[name] }

/** The arguments of a derived tool. */
export type DerivedInput<I, A> = Flat<
  Omit<I, FixedNames<A> | DefaultNames<A>> & Partial<Pick<I, Extract<DefaultNames<A>, keyof I>>>
>

/** The types of a derived tool. */
export interface DerivedType<T extends AnyToolType, A> {
  /** The type of its arguments. */
  input: DerivedInput<T['input'], A>
  /** The type of its structured content. */
  output: T['output']
}

/**
 * Derives a tool from one that `defineTool` returned. The new tool has the types of the other one, without the arguments that are fixed.
 *
 * @example
 * const mySearch = deriveTool(search, {
 *   description: 'Searches your own documents',
 *   arguments: { owner: { fixed: (call) => call.auth?.principal ?? 'nobody' }, limit: { default: 10 } },
 * })
 */
export function deriveTool<T extends AnyToolType, const A extends DerivedArguments<T['input']> = Record<never, never>>(
  tool: DefinedTool<T>,
  { arguments: settings, ...changes }: DerivedDefinition<A, T['input']>,
): DefinedTool<DerivedType<T, A>> {
  const original = tool.definition as BaseToolDefinition & { readonly input?: Schema }
  if (!settings || !original.input) return { definition: { ...original, ...changes }, handler: tool.handler }
  const compiled = compileSchema(original.input, 'input')
  const applied = settings as { readonly [name: string]: { readonly fixed: DerivedValue<JsonValue> } }
  const run = tool.handler as (args: unknown, call: Call) => unknown
  return {
    definition: { ...original, ...changes, input: changeSchema(compiled.json, applied as never) },
    async handler(args: JsonObject, call: Call) {
      const parsed = await compiled.parse(await applySettings(isObject(args) ? args : {}, applied, call))
      if (parsed.issues) throw new ToolError(`Invalid arguments: ${parsed.issues.map(({ message }) => message).join('; ')}`)
      return run(parsed.value, call)
    },
  }
}
