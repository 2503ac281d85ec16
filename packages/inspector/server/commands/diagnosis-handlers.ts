import { checkQuality } from '../diagnosis/quality.ts'
import type { ManagedServer } from '../servers/managed-server.ts'
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

/** The commands of the doctor, the OAuth debugger and the check of tool quality. */
export const DIAGNOSIS_HANDLERS: CommandHandlers<DiagnosisCommand> = {
  'run-doctor': async ({ serverId, confirm }, { servers, diagnosis }) => {
    const server = servers.get(serverId)
    await server.confirm(confirm)
    return { runId: diagnosis.doctor.start(server, await diagnosis.authOf(serverId)) }
  },
  'cancel-doctor': ({ runId }, { diagnosis }) => diagnosis.doctor.cancel(runId),
  'check-quality': ({ serverId }, parts) => checkQuality(parts.servers.get(serverId), parts),
  'start-oauth': async (params, { servers, diagnosis }) => ({
    flowId: await diagnosis.oauth.start('url' in params ? params.url : urlOf(servers.get(params.serverId)), params.options),
  }),
  'next-oauth': ({ flowId }, { diagnosis }) => diagnosis.oauth.get(flowId).next(),
  'run-oauth': ({ flowId }, { diagnosis }) => diagnosis.oauth.get(flowId).run(),
  'cancel-oauth': ({ flowId }, { diagnosis }) => diagnosis.oauth.get(flowId).cancel(),
  'extend-oauth': ({ flowId, action, scopes }, { diagnosis }) => diagnosis.oauth.extend(flowId, action, scopes),
  'revoke-oauth': async ({ flowId }, { diagnosis }) => ({ revoked: await diagnosis.oauth.revoke(flowId) }),
  'clear-oauth': ({ flowId }, { diagnosis }) => diagnosis.oauth.clear(flowId),
  'use-oauth-token': ({ flowId, serverId }, { servers, diagnosis }) => diagnosis.oauth.useFor(flowId, servers.get(serverId).id),
  'export-oauth': ({ flowId }, { diagnosis }) => diagnosis.oauth.export(flowId),
}

function urlOf({ target, state }: ManagedServer): string {
  if (target.kind === 'url') return target.url
  throw new InspectorCommandError('INVALID_PARAMS', `${state.name} has no URL, so it cannot ask for a sign-in`)
}
