import { checkContent, type ElicitationSchema } from '../../../portcall/src/protocol/elicitation.ts'
import type { Problem } from './problems.ts'
import type { JsonObject } from './schema.ts'

/** Returns the problems of the answer to a form of a server. They are those for which the client would refuse to send it. */
export function contentProblems(schema: JsonObject, content: JsonObject): Problem[] {
  return checkContent(schema as unknown as ElicitationSchema, content).map(({ path, message }) => ({
    path: path.map((key) => (typeof key === 'number' ? key : String(key))),
    message: message === 'required' ? 'is required' : message,
    ...(message === 'required' && { isMissing: true }),
  }))
}
