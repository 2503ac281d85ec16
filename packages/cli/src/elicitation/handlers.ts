import type { FormRequest, InputHandlers } from 'portcall/client'
import type { JsonObject } from 'portcall/jsonrpc'
import { buildArguments, readArguments } from '../arguments.ts'
import type { Io } from '../io.ts'

/**
 * Returns the handlers for elicitations: answers of the command line, else prompts on a terminal, else none, so that the capability is not
 * declared.
 */
export function createInputHandlers(answers: readonly string[], io: Io): Pick<InputHandlers, 'elicit' | 'elicitUrl'> {
  if (answers.length > 0) return { elicit: (form) => fillFromAnswers(answers, form) }
  if (!io.interactive) return {}
  return {
    elicit: async (form, { signal }) => (await import('./terminal.ts')).promptForm(form, AbortSignal.any([signal, io.signal])),
    elicitUrl: async (request, { signal }) =>
      (await import('./terminal.ts')).promptUrl(request, AbortSignal.any([signal, io.signal])),
  }
}

/** Fills in a form with the answers whose names match a field. */
async function fillFromAnswers(answers: readonly string[], { schema, defaults }: FormRequest): Promise<JsonObject> {
  const args = await readArguments(answers)
  const matching = args.filter((arg) => arg.kind === 'object' || Object.hasOwn(schema.properties, arg.name))
  return { ...defaults, ...buildArguments(matching, { ...schema }) }
}
