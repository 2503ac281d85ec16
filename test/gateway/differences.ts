import { readFileSync } from 'node:fs'
import type { Setup } from '../support/setups.ts'
import type { UpstreamSetup } from './support/upstreams.ts'

/** A behavior that a bridge cannot preserve for some pairs of revisions, and the reason. */
export interface Difference {
  /** The start of the title of the test in the matrix. */
  readonly test: string
  readonly where: (front: Setup, upstream: UpstreamSetup) => boolean
  /** What it concerns, in the documentation. */
  readonly feature: string
  readonly reason: string
}

const isModern = ({ revision }: Pick<Setup, 'revision'>): boolean => revision === '2026-07-28'
const isRemote = ({ transport }: UpstreamSetup): boolean => transport !== 'exchange'
const isOlder = (front: Setup, upstream: UpstreamSetup): boolean => upstream.revision < front.revision
const isLegacy = (_front: Setup, upstream: UpstreamSetup): boolean => !isModern(upstream)
const isRemoteAndOlder = (front: Setup, upstream: UpstreamSetup): boolean => isRemote(upstream) && isOlder(front, upstream)

/** The pairs that a difference concerns. `tools/gateway-doc.mjs` describes them in the documentation. */
const PAIRS: { readonly [where: string]: Difference['where'] } = {
  earlierClient: (front, upstream) => isRemote(upstream) && front.revision < '2025-11-25' && upstream.revision >= '2025-11-25',
  earlierServer: (front, upstream) => upstream.revision < '2025-11-25' && front.revision >= '2025-11-25',
  legacyServer: isLegacy,
  olderServer: isRemoteAndOlder,
  channelServer: (_front, { transport }) => transport === 'stdio' || transport === 'channel',
  remoteServer: (_front, upstream) => isRemote(upstream),
}

/** What the protocol does not carry from one revision to another. `npm run gateway -- --matrix` skips these tests with the reason. */
export const DIFFERENCES: readonly Difference[] = JSON.parse(
  readFileSync(new URL('differences.json', import.meta.url), 'utf8'),
).map(({ where, ...difference }: { readonly where: string }) => ({ ...difference, where: pairsOf(where) }))

function pairsOf(name: string): Difference['where'] {
  const pairs = PAIRS[name]
  if (!pairs) throw new TypeError(`There are no pairs ${name}`)
  return pairs
}

/** Returns the reason why a test does not apply, if there is one. */
export function differenceOf(title: string, front: Setup, upstream: UpstreamSetup): string | undefined {
  if (upstream.revision < '2025-11-25' && isOlder(front, upstream))
    return 'clients that are newer than such a server are tested in older-servers.test.ts'
  return DIFFERENCES.find(({ test, where }) => title.startsWith(test) && where(front, upstream))?.reason
}
