import type { CoreParts } from '../core-parts.ts'
import type { SavedCall } from '../protocol/operations.ts'
import type { InspectorRecording, ReplayRun } from '../protocol/sharing.ts'
import { createRecordings, type Recordings } from './recordings.ts'
import { createSavedCalls, type SavedCalls } from './saved-calls.ts'

/** Recordings, replays and saved calls. */
export interface Sharing {
  readonly calls: readonly SavedCall[]
  readonly recordings: readonly InspectorRecording[]
  readonly replays: readonly ReplayRun[]
  readonly recorder: Recordings
  readonly savedCalls: SavedCalls
  /** Ends all recordings. */
  close(): Promise<void>
}

/** Creates the sharing of a back end. */
export function createSharing(parts: CoreParts): Sharing {
  const recorder = createRecordings(parts)
  const savedCalls = createSavedCalls(parts)
  return {
    get calls() {
      return savedCalls.all
    },
    get recordings() {
      return recorder.all
    },
    replays: [],
    recorder,
    savedCalls,
    close: () => recorder.close(),
  }
}
