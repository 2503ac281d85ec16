/**
 * The transports that tests use: channels in the process, the pipes of a child process, Streamable HTTP served by Node or by a fetch
 * handler, and HTTP+SSE of the first revision.
 */
export const TRANSPORTS = ['memory', 'stdio', 'http', 'fetch', 'sse'] as const
export type Transport = (typeof TRANSPORTS)[number]

/** Reports whether each message is a separate HTTP request whose response carries the answer. */
export const isStreamable = (transport: Transport): boolean => transport === 'http' || transport === 'fetch'

/** Every revision, oldest first. */
export const REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] as const
export type RevisionName = (typeof REVISIONS)[number]

export type Era = 'legacy' | 'modern'

/** Returns the era of a revision: `legacy` has a handshake and sessions, `modern` has neither. */
export const eraOf = (revision: RevisionName): Era => (revision === '2026-07-28' ? 'modern' : 'legacy')

/** A combination of transport and revision in which a behavior is tested. */
export interface Setup {
  transport: Transport
  revision: RevisionName
}

/** All combinations, grouped by transport. */
export const SETUPS: readonly Setup[] = TRANSPORTS.flatMap((transport) =>
  REVISIONS.filter((revision) => transport !== 'sse' || revision === '2024-11-05').map((revision) => ({ transport, revision })),
)
