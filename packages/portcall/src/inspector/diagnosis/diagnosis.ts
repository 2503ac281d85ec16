import type { AuthProvider } from '../../entrypoints/auth-client.ts'
import type { CoreParts } from '../core-parts.ts'
import type { DoctorRun, OAuthFlow } from '../protocol/diagnosis.ts'
import { InspectorCommandError } from '../state/command-error.ts'
import { createDoctor, type Doctor } from './doctor.ts'

/** The doctor, the OAuth debugger and the check of tool quality. */
export interface DiagnosisTools {
  readonly doctors: readonly DoctorRun[]
  readonly doctor: Doctor
  readonly flows: readonly OAuthFlow[]
  /** Returns a provider with the token that a debugged flow obtained for a server. */
  authOf(serverId: string, url: URL): AuthProvider | undefined
  /** Returns the value of a masked secret. @throws InspectorCommandError */
  reveal(flowId: string, placeholder: string): string
  /** Stops everything that runs. */
  close(): void
}

/** Creates the diagnosis of a back end. */
export function createDiagnosis(parts: CoreParts): DiagnosisTools {
  const doctor = createDoctor(parts)
  return {
    get doctors() {
      return doctor.all
    },
    doctor,
    flows: [],
    authOf: () => undefined,
    reveal: missing,
    close: () => doctor.close(),
  }
}

function missing(): never {
  throw new InspectorCommandError('NOT_FOUND', 'There is no such flow')
}
