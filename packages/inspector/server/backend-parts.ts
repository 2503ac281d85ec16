import type { CoreParts } from './core-parts.ts'
import type { DiagnosisTools } from './diagnosis/diagnosis.ts'
import type { InspectorState } from './protocol.ts'
import type { Sharing } from './sharing/sharing.ts'

/** The parts of the back end, for its commands. */
export interface BackendParts extends CoreParts {
  /** The doctor, the OAuth debugger and the quality of tools. */
  readonly diagnosis: DiagnosisTools
  /** Recordings, exports, comparisons and saved calls. */
  readonly sharing: Sharing
  /** Returns everything but the timeline. */
  state(): InspectorState
}
