/** The pairs of transports and revisions in which the behaviors of the matrix are tested through a bridge. */
import { REVISIONS, type RevisionName, SETUPS, type Setup, type Transport } from '../../support/setups.ts'
import { parseUpstream, type UpstreamSetup, type UpstreamTransport } from './upstreams.ts'

/** The connections between a client and a bridge, and between the bridge and a server. */
export interface Pair {
  readonly front: Setup
  readonly upstream: UpstreamSetup
}

/** HTTP+SSE belongs to the first revision. Servers of the later ones of its era offer it, too, for older clients. */
const hasSse = (revision: RevisionName): boolean => revision < '2026-07-28'
const inRevision =
  <T extends string>(transports: readonly T[]) =>
  (revision: RevisionName) =>
    transports.filter((transport) => transport !== 'sse' || hasSse(revision)).map((transport) => ({ transport, revision }))
const frontsOf = inRevision<Transport>(['stdio', 'http', 'sse'])
const upstreamsOf = inRevision<UpstreamTransport>(['stdio', 'http', 'sse'])

/** A server in the same process, and a channel, are not transports of the protocol. */
const OTHERS: readonly UpstreamSetup[] = [
  { transport: 'exchange', revision: '2026-07-28' },
  { transport: 'channel', revision: '2026-07-28' },
  { transport: 'channel', revision: '2025-11-25' },
]

/**
 * Every pair of revisions once, with the transports of both sides in turn. The offsets make each feature of the protocol occur with each
 * transport on both sides.
 */
function sample(): Pair[] {
  return REVISIONS.flatMap((client, row) =>
    REVISIONS.map((server, column) => {
      const [fronts, upstreams] = [frontsOf(client), upstreamsOf(server)]
      return {
        front: fronts[(row + column + 2) % fronts.length],
        upstream: upstreams[(2 * row + column + 2) % upstreams.length],
      } as Pair
    }),
  )
}

/**
 * Returns the pairs of a choice: `sample`, `all`, or the setup of a server such as `http@2025-11-25`, which is combined with every setup of
 * the matrix.
 */
export function pairsOf(choice: string): Pair[] {
  if (choice === 'sample') return sample()
  if (choice !== 'all') return SETUPS.map((front) => ({ front, upstream: parseUpstream(choice) }))
  const upstreams = [...REVISIONS.flatMap(upstreamsOf), ...OTHERS]
  return REVISIONS.flatMap(frontsOf).flatMap((front) => upstreams.map((upstream) => ({ front, upstream })))
}
