import { randomId } from '../../../util/src/random.ts'
import type { InspectorFailure } from '../protocol/servers.ts'
import { InspectorCommandError, toFailure } from './command-error.ts'

/** The end of a run that was stopped or has failed. */
export type RunEnding = { readonly status: 'cancelled' } | { readonly status: 'failed'; readonly failure: InspectorFailure }

/** Runs that can be stopped, by their ids. */
export interface Runs {
  /** Starts a run, and returns its id. `onEnding` is called if the run throws. */
  start(run: (id: string, signal: AbortSignal) => Promise<void>, onEnding: (id: string, ending: RunEnding) => void): string
  /** Resolves when a run has ended. */
  ended(id: string): Promise<void>
  /** Stops a run if it still runs. */
  stop(id: string, reason: string): void
  /** Stops a run for the user. @throws InspectorCommandError if it is not running. */
  cancel(id: string): void
  /** Stops all runs. */
  close(): void
}

/** Creates a list of runs. `noun` is the name of one. */
export function createRuns(noun: string): Runs {
  const running = new Map<string, { readonly controller: AbortController; readonly ended: Promise<void> }>()
  return {
    start(run, onEnding) {
      const id = randomId(9)
      const controller = new AbortController()
      const { signal } = controller
      const ended = run(id, signal)
        .catch((error: unknown) =>
          onEnding(id, signal.aborted ? { status: 'cancelled' } : { status: 'failed', failure: toFailure(error) }),
        )
        .finally(() => running.delete(id))
      running.set(id, { controller, ended })
      return id
    },
    ended: async (id) => running.get(id)?.ended,
    stop: (id, reason) => running.get(id)?.controller.abort(new Error(reason)),
    cancel(id) {
      const run = running.get(id)
      if (!run) throw new InspectorCommandError('NOT_FOUND', `The ${noun} is not running`)
      run.controller.abort(new Error(`The user stopped the ${noun}`))
    },
    close() {
      for (const { controller } of running.values()) controller.abort(new Error('The inspector closes'))
    },
  }
}
