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
  'run-doctor': missing,
  'cancel-doctor': missing,
  'check-quality': missing,
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
