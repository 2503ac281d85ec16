/** The types of the protocol between the page and its back end. Types only: the page contains nothing of the library but the checks of forms, which have to be those of the client. */

export type { HostVerdict } from '../../../portcall/src/diagnostics/quality/host-verdict.ts'
export type * from '../../../portcall/src/inspector/protocol/diagnosis.ts'
export type * from '../../../portcall/src/inspector/protocol/operations.ts'
export type * from '../../../portcall/src/inspector/protocol/servers.ts'
export type * from '../../../portcall/src/inspector/protocol/sharing.ts'
export type * from '../../../portcall/src/inspector/protocol/timeline.ts'
export type * from '../../../portcall/src/inspector/protocol.ts'
export type * from '../../../portcall/src/protocol/types.ts'
