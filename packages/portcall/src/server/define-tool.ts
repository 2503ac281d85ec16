import type { Awaitable } from '../../../util/src/awaitable.ts'
import { describe } from '../../../util/src/describe.ts'
import { isObject } from '../jsonrpc/message.ts'
import type { InferInput, Schema } from '../schema/standard.ts'
import type { Call } from './call.ts'
import type { Arguments, LiteralTypes, NoExcessProperties, ReturnFields, ToolDefinition, ToolReturn } from './definitions.ts'

/** The types of a tool: of its arguments, and of its structured content. */
export interface ToolType<I, O> {
  /** The type of the arguments. */
  input: I extends Schema ? InferInput<I> : Record<string, never>
  /** The type of the structured content. */
  output: O extends Schema ? InferInput<O> : undefined
}

/** A tool that is not registered yet: `defineTool` creates it, and `server.addTools` registers it. */
export interface DefinedTool<T = unknown> {
  /** The definition that was passed to `defineTool`. */
  readonly definition: object
  /** The handler that was passed to `defineTool`. */
  readonly handler: (args: never, call: Call) => unknown
  /** Carries the types of the tool. It does not exist at run time. */
  readonly '~tool'?: T
}

/** Tools by their names. */
export type DefinedTools = { readonly [name: string]: DefinedTool }

/** The types of tools, by their names. */
export type TypesOfTools<D> = { [name in keyof D]: D[name] extends DefinedTool<infer T> ? T : never }

/**
 * Defines a tool that one or more servers register with `addTools`. Use it for tools in files of their own, and to collect tools in an object
 * whose type describes them for clients: `connect<typeof tools>(url)`.
 *
 * @example
 * const tools = {
 *   add: defineTool({ input: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => String(a + b)),
 * }
 * const server = createServer({ name: 'calculator', version: '1.0.0' }).addTools(tools)
 */
export function defineTool<
  const I extends Schema | undefined = undefined,
  const O extends Schema | undefined = undefined,
  R extends ToolReturn<O> = never,
>(
  definition: ToolDefinition<I, O>,
  handler: ((args: Arguments<I>, call: Call) => Awaitable<R | ToolReturn<O> | LiteralTypes>) &
    NoExcessProperties<R, ReturnFields<O>>,
): DefinedTool<ToolType<I, O>> {
  return { definition, handler }
}

/** Checks the argument of `server.addTools`. @throws TypeError. */
export function checkTools(tools: unknown): asserts tools is DefinedTools {
  const entries: [string, unknown][] = isObject(tools) ? Object.entries(tools) : [['tools', tools]]
  for (const [name, tool] of entries)
    if (!isObject(tool) || !isObject(tool.definition))
      throw new TypeError(
        `server.addTools({ name: tool }): ${name} must be a tool that defineTool(definition, handler) returned, not ${describe(tool)}`,
      )
}
