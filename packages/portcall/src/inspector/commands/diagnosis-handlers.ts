import { checkQuality } from '../diagnosis/quality.ts'
import { InspectorCommandError } from '../state/command-error.ts'
import type { CommandHandlers } from './handler-types.ts'

type DiagnosisCommand =
  | 'run-doctor'
  | 'cancel-doctor'
  | 'check-quality'
  | 'start-oauth'
  | 'next-oauth'
  | 'run-oauth'
  | 'cancel-oauth'
  | 'extend-oauth'
  | 'revoke-oauth'
  | 'clear-oauth'
  | 'use-oauth-token'
  | 'export-oauth'

const missing = (): never => {
  throw new InspectorCommandError('FAILED', 'This build of the inspector has no diagnosis')
}

/** The commands of the doctor, the OAuth debugger and the check of tool quality. */
export const DIAGNOSIS_HANDLERS: CommandHandlers<DiagnosisCommand> = {
  'run-doctor': async ({ serverId, confirm }, { servers, diagnosis }) => {
    const server = servers.get(serverId)
    await server.confirm(confirm)
    const auth = server.target.kind === 'url' ? diagnosis.authOf(serverId, new URL(server.target.url)) : undefined
    return { runId: diagnosis.doctor.start(server, auth) }
  },
  'cancel-doctor': ({ runId }, { diagnosis }) => diagnosis.doctor.cancel(runId),
  'check-quality': ({ serverId }, parts) => checkQuality(parts.servers.get(serverId), parts),
  'start-oauth': missing,
  'next-oauth': missing,
  'run-oauth': missing,
  'cancel-oauth': missing,
  'extend-oauth': missing,
  'revoke-oauth': missing,
  'clear-oauth': missing,
  'use-oauth-token': missing,
  'export-oauth': missing,
}
