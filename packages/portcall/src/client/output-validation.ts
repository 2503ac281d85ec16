import type { JsonObject } from '../jsonrpc/message.ts'
import type { CallToolResult } from '../protocol/types.ts'
import { compileSchema } from '../schema/compile.ts'
import type { CompiledSchema, Issue } from '../schema/standard.ts'
import { structuralSchema } from '../schema/structural-schema.ts'
import { InvalidResultError } from './errors.ts'

/**
 * How the structured content of tools is checked against their output schemas. `report`: content of another shape is an error, and details that
 * do not match, such as formats, are reported as an event. `strict`: any mismatch is an error. `off`: nothing is checked.
 */
export type OutputValidation = 'report' | 'strict' | 'off'

export interface OutputValidatorOptions {
  readonly tool: string
  readonly schema: JsonObject
  readonly mode: OutputValidation
  /** Called with the details that do not match. */
  readonly onMismatch: (issues: readonly Issue[]) => void
}

/** Checks a result. @throws InvalidResultError with the result. */
export type OutputValidator = (result: CallToolResult) => Promise<CallToolResult>

/** Creates the validator of the results of one tool. @throws SchemaError if the schema cannot be used. */
export function createOutputValidator({ tool, schema, mode, onMismatch }: OutputValidatorOptions): OutputValidator {
  const compiled = compileSchema(schema, 'output', { trusted: false }) as CompiledSchema
  let structural: CompiledSchema | undefined
  const message = `The structuredContent of the tool ${tool} does not match its output schema`

  return async (result) => {
    if (!('structuredContent' in result))
      throw new InvalidResultError(`The tool ${tool} has an output schema, but its result has no structuredContent`, [], result)
    const { structuredContent } = result
    const { issues } = await compiled.parse(structuredContent)
    if (!issues) return result
    if (mode === 'strict') throw new InvalidResultError(message, issues, result)
    structural ??= compileSchema(structuralSchema(schema), 'output', { trusted: false }) as CompiledSchema
    const shape = await structural.parse(structuredContent)
    if (shape.issues) throw new InvalidResultError(message, shape.issues, result)
    onMismatch(issues)
    return result
  }
}
