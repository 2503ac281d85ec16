import type { AuthProvider } from 'portcall/auth/client'
import type { CoreParts } from '../core-parts.ts'
import type { DoctorRun, OAuthFlow } from '../protocol/diagnosis.ts'
import { InspectorCommandError } from '../state/command-error.ts'
import { createDoctor, type Doctor } from './doctor.ts'
import { createOAuthFlows, type OAuthFlows } from './oauth.ts'

/** The doctor, the OAuth debugger and the check of tool quality. */
export interface DiagnosisTools {
  readonly doctors: readonly DoctorRun[]
  readonly doctor: Doctor
  readonly flows: readonly OAuthFlow[]
  readonly oauth: OAuthFlows
  /** Returns a provider with the token that a debugged flow obtained for a server. */
  authOf(serverId: string): Promise<AuthProvider | undefined>
  /** Returns the value of a masked secret. @throws InspectorCommandError */
  reveal(flowId: string, placeholder: string): string
  /** Stops everything that runs. */
  close(): void
}

/** Creates the diagnosis of a back end. */
export function createDiagnosis(parts: CoreParts): DiagnosisTools {
  const doctor = createDoctor(parts)
  const oauth = createOAuthFlows(parts)
  return {
    get doctors() {
      return doctor.all
    },
    doctor,
    get flows() {
      return oauth.all
    },
    oauth,
    authOf: oauth.authOf,
    reveal(flowId, placeholder) {
      const value = oauth.get(flowId).reveal(placeholder)
      if (value === undefined) throw new InspectorCommandError('NOT_FOUND', 'There is no such placeholder')
      return value
    },
    close() {
      doctor.close()
      oauth.close()
    },
  }
}
