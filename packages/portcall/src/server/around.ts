import type { Schema } from '../schema/standard.ts'
import type { Call } from './call.ts'
import type { Awaitable, ToolDefinition } from './define.ts'

/** A tool that is being called. */
export interface CalledTool {
  readonly name: string
  readonly definition: ToolDefinition<Schema | undefined, Schema | undefined>
}

/** Stands around a call of a tool. `next` runs it; what is returned instead may be of a `resultType` of the extension's own. */
export type AroundTool = (call: Call, tool: CalledTool, next: () => Promise<object>) => Awaitable<object>

/** Gives more members of what lists say of a tool. */
export type DescribeTool = (definition: CalledTool['definition']) => object
