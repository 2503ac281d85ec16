/** How messages travel in a test. */
export const TRANSPORTS = ['memory', 'stdio', 'http'] as const
export type Transport = (typeof TRANSPORTS)[number]

/** Every revision, oldest first. */
export const REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] as const
export type RevisionName = (typeof REVISIONS)[number]

export type Era = 'legacy' | 'modern'

/** The era of a revision: with a handshake and sessions, or without. */
export const eraOf = (revision: RevisionName): Era => (revision === '2026-07-28' ? 'modern' : 'legacy')

/** Where a behaviour is tried: one of fifteen places. */
export interface Place {
  transport: Transport
  revision: RevisionName
}

/** All places, transport by transport. */
export const PLACES: readonly Place[] = TRANSPORTS.flatMap((transport) => REVISIONS.map((revision) => ({ transport, revision })))
