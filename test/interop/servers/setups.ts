/**
 * The setups in which the Portcall client is tested. All servers define the tools `add`, `count`, `chat`, `greet`, `think`, `where`, `wait`, `cancelled`, `era`,
 * `exit` and `change`, the resource `memo://logo`, the template `memo://{name}` and the prompt `review`.
 */

/** The optional features of such a server. */
export type Ability = 'progress' | 'logs' | 'levels' | 'elicit' | 'sample' | 'roots' | 'cancel' | 'context' | 'lists' | 'updates'

/** A server behind a transport, in an era. */
export interface Setup {
  readonly server: string
  /** The path of its HTTP endpoint. Without it, the server runs over stdio. */
  readonly path?: string
  readonly era: 'modern' | 'legacy'
  /** True if the server also supports the other era, so that this one must be requested. */
  readonly pinned?: true
  /** The features that cannot be tested, and the reasons. */
  readonly lacks?: Partial<Record<Ability, string>>
}

type MissingFeatures = NonNullable<Setup['lacks']>

const STATELESS: MissingFeatures = {
  elicit: 'it cannot send requests without a session',
  sample: 'it cannot send requests without a session',
  roots: 'it cannot send requests without a session',
  lists: 'it rejects the stream for changes without a session',
  updates: 'it rejects the stream for changes without a session',
}
const FASTMCP: MissingFeatures = {
  context: 'it does not pass on what is known already',
  lists: 'it does not declare that its list of tools changes',
}
const TOO_EARLY: MissingFeatures = { roots: 'it requests roots immediately, on a stream that cannot be open yet' }
const NO_ROOTS: MissingFeatures = { roots: 'it asks for roots in the legacy era only' }
const NO_SIGNAL: MissingFeatures = { cancel: 'its transport does not notify handlers of a cancellation' }
const NO_CALL: MissingFeatures = { cancel: 'without a session a cancellation finds no call' }
const PYTHON_LEGACY: MissingFeatures = {
  lists: 'it declares changes of lists in the newest revision only',
  updates: 'it has no resources/subscribe',
}

export const SETUPS: readonly Setup[] = [
  { server: 'official-1', era: 'legacy' },
  { server: 'official-1', era: 'legacy', path: '/mcp' },
  { server: 'official-1', era: 'legacy', path: '/sse' },

  { server: 'official-2', era: 'modern' },
  { server: 'official-2', era: 'legacy', pinned: true },
  { server: 'official-2', era: 'modern', path: '/mcp' },
  { server: 'official-2', era: 'legacy', path: '/mcp', pinned: true, lacks: STATELESS },
  { server: 'official-2', era: 'legacy', path: '/sessions' },

  { server: 'fastmcp', era: 'legacy', lacks: FASTMCP },
  { server: 'fastmcp', era: 'legacy', path: '/mcp', lacks: { ...FASTMCP, ...TOO_EARLY } },
  { server: 'fastmcp', era: 'legacy', path: '/sse', lacks: FASTMCP },

  { server: 'tmcp', era: 'modern', lacks: { ...NO_ROOTS, ...NO_SIGNAL } },
  { server: 'tmcp', era: 'legacy', pinned: true, lacks: NO_SIGNAL },
  { server: 'tmcp', era: 'modern', path: '/mcp', lacks: NO_ROOTS },
  { server: 'tmcp', era: 'legacy', path: '/mcp', pinned: true },
  { server: 'tmcp', era: 'legacy', path: '/sse', lacks: NO_SIGNAL },

  { server: 'python', era: 'modern' },
  { server: 'python', era: 'legacy', pinned: true, lacks: PYTHON_LEGACY },
  { server: 'python', era: 'modern', path: '/mcp' },
  { server: 'python', era: 'legacy', path: '/mcp', pinned: true, lacks: PYTHON_LEGACY },
  { server: 'python', era: 'legacy', path: '/sse', lacks: PYTHON_LEGACY },

  { server: 'go', era: 'modern' },
  { server: 'go', era: 'legacy', pinned: true },
  { server: 'go', era: 'legacy', path: '/mcp' },
  { server: 'go', era: 'modern', path: '/stateless' },
  { server: 'go', era: 'legacy', path: '/stateless', pinned: true, lacks: { ...STATELESS, ...NO_CALL } },
  { server: 'go', era: 'legacy', path: '/sse' },
]
