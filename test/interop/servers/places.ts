/**
 * Where our client is tried. All servers define the same: tools `add`, `count`, `chat`, `greet`, `think`, `where`, `wait`, `cancelled`, `era`,
 * `exit` and `change`, the resource `memo://logo`, the template `memo://{name}` and the prompt `review`.
 */

/** What can be tried on such a server, beyond what each can do. */
export type Ability = 'progress' | 'logs' | 'levels' | 'elicit' | 'sample' | 'roots' | 'cancel' | 'context' | 'lists' | 'updates'

/** A server behind a transport, in an era. */
export interface Place {
  readonly server: string
  /** A path of its HTTP server; without, it is started and spoken to over stdio. */
  readonly path?: string
  readonly era: 'modern' | 'legacy'
  /** It speaks the other era too, and would be found to: this one has to be asked for. */
  readonly pinned?: true
  /** What cannot be tried there, and why. */
  readonly lacks?: Partial<Record<Ability, string>>
}

type Lacks = NonNullable<Place['lacks']>

const STATELESS: Lacks = {
  elicit: 'without a session it has nobody to ask',
  sample: 'without a session it has nobody to ask',
  roots: 'without a session it has nobody to ask',
  lists: 'without a session it refuses the stream for changes',
  updates: 'without a session it refuses the stream for changes',
}
const FASTMCP: Lacks = {
  context: 'it does not pass on what is known already',
  lists: 'it does not declare that its list of tools changes',
}
const TOO_EARLY: Lacks = { roots: 'it asks at once, on the stream that nobody can have opened yet' }
const NO_ROOTS: Lacks = { roots: 'it asks for roots in the legacy era only' }
const NO_SIGNAL: Lacks = { cancel: 'its transport tells no handler of a cancellation' }
const NO_CALL: Lacks = { cancel: 'without a session a cancellation finds no call' }
const PYTHON_LEGACY: Lacks = {
  lists: 'it declares changes of lists in the newest revision only',
  updates: 'it has no resources/subscribe',
}

export const PLACES: readonly Place[] = [
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
