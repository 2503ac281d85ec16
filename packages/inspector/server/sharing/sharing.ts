import type { CoreParts } from '../core-parts.ts'
import type { SavedCall } from '../protocol/operations.ts'
import type { InspectorRecording, ReplayRun } from '../protocol/sharing.ts'
import { createRecordings, type Recordings } from './recordings.ts'
import { createReplays, type Replays } from './replays.ts'
import { createSavedCalls, type SavedCalls } from './saved-calls.ts'
import { createServedRecordings, type ServedRecordings } from './served-recordings.ts'

/** Recordings, replays and saved calls. */
export interface Sharing {
  readonly calls: readonly SavedCall[]
  readonly recordings: readonly InspectorRecording[]
  readonly replays: readonly ReplayRun[]
  readonly recorder: Recordings
  readonly savedCalls: SavedCalls
  readonly replayer: Replays
  readonly served: ServedRecordings
  /** Ends all recordings. */
  close(): Promise<void>
}

/** Creates the sharing of a back end. */
export function createSharing(parts: CoreParts): Sharing {
  const recorder = createRecordings(parts)
  const savedCalls = createSavedCalls(parts)
  const replayer = createReplays(parts)
  const served = createServedRecordings()
  return {
    get calls() {
      return savedCalls.all
    },
    get recordings() {
      return recorder.all
    },
    get replays() {
      return replayer.all
    },
    recorder,
    savedCalls,
    replayer,
    served,
    async close() {
      replayer.close()
      await Promise.all([recorder.close(), served.close()])
    },
  }
}
