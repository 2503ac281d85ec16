import type { CoreParts } from './core-parts.ts'
import type { DiagnosisTools } from './diagnosis/diagnosis.ts'
import type { InspectorState } from './protocol.ts'
import type { Sharing } from './sharing/sharing.ts'

/** The parts of the back end, for its commands. */
export interface BackendParts extends CoreParts {
  readonly diagnosis: DiagnosisTools
  readonly sharing: Sharing
  /** Returns everything but the timeline. */
  state(): InspectorState
}
