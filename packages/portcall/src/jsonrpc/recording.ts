import type { Middleware } from './exchange.ts'

/** Identifies what middleware records, and where. */
interface Recording {
  /** The name of the middleware in messages. */
  readonly name: string
  /** Where the records go. */
  readonly target: unknown
}

const RECORDS: unique symbol = Symbol('records')

/** Marks middleware that records each request, so that adding it twice is noticed. */
export function markRecording(middleware: Middleware, recording: Recording): Middleware {
  return Object.assign(middleware, { [RECORDS]: recording })
}

function recordingOf(middleware: Middleware): Recording | undefined {
  return (middleware as { readonly [RECORDS]?: Recording })[RECORDS]
}

/** Returns the name of middleware that records what one of the others records already, to the same target; otherwise `undefined`. */
export function repeatedRecording(middleware: Middleware, others: readonly Middleware[]): string | undefined {
  const own = recordingOf(middleware)
  if (!own) return undefined
  const isRepeated = others.map(recordingOf).some((other) => other?.name === own.name && other.target === own.target)
  return isRepeated ? own.name : undefined
}
