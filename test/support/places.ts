/**
 * How messages travel in a test: inside the process, over the pipes of a child, over Streamable HTTP by Node's server or by a handler of
 * web requests, and over the HTTP transport of the first revision.
 */
export const TRANSPORTS = ['memory', 'stdio', 'http', 'fetch', 'sse'] as const
export type Transport = (typeof TRANSPORTS)[number]

/** Tells whether each message travels on an HTTP exchange of its own, and comes back on it. */
export const isStreamable = (transport: Transport): boolean => transport === 'http' || transport === 'fetch'

/** Every revision, oldest first. */
export const REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] as const
export type RevisionName = (typeof REVISIONS)[number]

export type Era = 'legacy' | 'modern'

/** The era of a revision: with a handshake and sessions, or without. */
export const eraOf = (revision: RevisionName): Era => (revision === '2026-07-28' ? 'modern' : 'legacy')

/** Where a behaviour is tried. */
export interface Place {
  transport: Transport
  revision: RevisionName
}

/** All places, transport by transport. */
export const PLACES: readonly Place[] = TRANSPORTS.flatMap((transport) =>
  REVISIONS.filter((revision) => transport !== 'sse' || revision === '2024-11-05').map((revision) => ({ transport, revision })),
)
