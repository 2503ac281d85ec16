/** The types of the protocol between the page and its back end. Types only: the page contains nothing of the library but the checks of forms, which have to be those of the client, and the host of views. */

export type { HostVerdict } from '../../../portcall/src/diagnostics/quality/host-verdict.ts'
export type * from '../../../portcall/src/protocol/types.ts'
export type * from '../../server/protocol/diagnosis.ts'
export type * from '../../server/protocol/operations.ts'
export type * from '../../server/protocol/servers.ts'
export type * from '../../server/protocol/sharing.ts'
export type * from '../../server/protocol/timeline.ts'
export type * from '../../server/protocol/views.ts'
export type * from '../../server/protocol.ts'
