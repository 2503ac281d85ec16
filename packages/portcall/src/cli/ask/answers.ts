import type { Answers, FormRequest } from '../../client.ts'
import type { JsonObject } from '../../jsonrpc.ts'
import { assemble } from '../arguments/coerce.ts'
import { type Pair, readPairs } from '../arguments/pair.ts'
import type { Io } from '../io.ts'

/**
 * How a server is answered: by what the command line says, by whoever sits at the terminal, or not at all, which the server is told
 * before it asks.
 */
export function answersFor(given: readonly string[], io: Io): Pick<Answers, 'elicit' | 'elicitUrl'> {
  if (given.length > 0) return { elicit: (form) => fromWords(given, form) }
  if (!io.interactive) return {}
  return {
    elicit: async (form, { signal }) => (await import('./form.ts')).askForm(form, AbortSignal.any([signal, io.signal])),
    elicitUrl: async (page, { signal }) => (await import('./visit.ts')).askVisit(page, AbortSignal.any([signal, io.signal])),
  }
}

/** What a form gets of answers that were given before; those for other forms are left out. */
async function fromWords(given: readonly string[], { schema, defaults }: FormRequest): Promise<JsonObject> {
  const pairs = await readPairs(given)
  const wanted = pairs.filter((pair: Pair) => pair.kind === 'all' || Object.hasOwn(schema.properties, pair.name))
  return { ...defaults, ...assemble(wanted, { ...schema }) }
}
