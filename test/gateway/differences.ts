import { readFileSync } from 'node:fs'
import type { Setup } from '../support/setups.ts'
import type { Pair } from './support/pairs.ts'
import type { UpstreamSetup } from './support/upstreams.ts'

/** A behavior that a bridge cannot preserve for some pairs of revisions. `tools/gateway-doc.mjs` lists it in the documentation. */
interface Difference {
  /** The start of the title of a test in the matrix, which does not apply. */
  readonly test?: string
  /** The name of a behavior in `behaviors.ts`. */
  readonly behavior?: string
  /** The outcome instead of the behavior. */
  readonly outcome?: string
  /** The pairs that it concerns. */
  readonly where: string
  readonly reason: string
}

type Where = (front: Setup, upstream: UpstreamSetup) => boolean

const isModern = ({ revision }: Pick<Setup, 'revision'>): boolean => revision === '2026-07-28'
const isRemote = ({ transport }: UpstreamSetup): boolean => transport !== 'exchange'
const isOlder: Where = (front, upstream) => upstream.revision < front.revision
/** The client or the server has a revision before this one. */
const before =
  (revision: string): Where =>
  (front, upstream) =>
    front.revision < revision || upstream.revision < revision

/** The pairs of clients and servers, by name. */
const PAIRS: { readonly [where: string]: Where } = {
  earlierClient: (front, upstream) => isRemote(upstream) && front.revision < '2025-11-25' && upstream.revision >= '2025-11-25',
  earlierServer: (front, upstream) => upstream.revision < '2025-11-25' && front.revision >= '2025-11-25',
  legacyServer: (_front, upstream) => !isModern(upstream),
  olderServer: (front, upstream) => isRemote(upstream) && isOlder(front, upstream),
  channelServer: (_front, { transport }) => transport === 'stdio' || transport === 'channel',
  legacyProgram: (_front, upstream) => upstream.transport === 'stdio' && !isModern(upstream),
  remoteServer: (_front, upstream) => isRemote(upstream),
  newest: (front, upstream) => isRemote(upstream) && isModern(front) && isModern(upstream),
  'before2025-06-18': before('2025-06-18'),
  'before2025-11-25': before('2025-11-25'),
  tasksOfNewest: (front, upstream) => front.revision === '2025-11-25' && isModern(upstream),
}

/** Differences that `npm run gateway -- --matrix` skips, with the outcomes that the tests of behaviors expect instead. */
export const DIFFERENCES = JSON.parse(readFileSync(new URL('differences.json', import.meta.url), 'utf8')) as readonly Difference[]

function find(front: Setup, upstream: UpstreamSetup, matches: (difference: Difference) => boolean): Difference | undefined {
  return DIFFERENCES.find((difference) => {
    if (!matches(difference)) return false
    const concerns = PAIRS[difference.where]
    if (!concerns) throw new TypeError(`There are no pairs ${difference.where}`)
    return concerns(front, upstream)
  })
}

/** Returns the reason why a test of the matrix does not apply to a pair, if there is one. */
export function differenceOf(title: string, front: Setup, upstream: UpstreamSetup): string | undefined {
  if (upstream.revision < '2025-11-25' && isOlder(front, upstream))
    return 'clients that are newer than such a server are tested in behaviors.test.ts'
  return find(front, upstream, ({ test }) => test !== undefined && title.startsWith(test))?.reason
}

/** Returns what a behavior results in with a pair. */
export function outcomeOf(name: string, { front, upstream }: Pair): string {
  return find(front, upstream, ({ behavior }) => behavior === name)?.outcome ?? 'works'
}
