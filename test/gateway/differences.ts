import type { Setup } from '../support/setups.ts'
import type { UpstreamSetup } from './support/upstreams.ts'

/** A behavior that a bridge cannot preserve for some pairs of revisions, and the reason. */
export interface Difference {
  /** The start of the title of the test in the matrix. */
  readonly test: string
  readonly where: (front: Setup, upstream: UpstreamSetup) => boolean
  readonly reason: string
}

const isModern = ({ revision }: Pick<Setup, 'revision'>): boolean => revision === '2026-07-28'
const isRemote = ({ transport }: UpstreamSetup): boolean => transport !== 'exchange'
const isOlder = (front: Setup, upstream: UpstreamSetup): boolean => upstream.revision < front.revision
const isLegacy = (_front: Setup, upstream: UpstreamSetup): boolean => !isModern(upstream)
const isRemoteAndOlder = (front: Setup, upstream: UpstreamSetup): boolean => isRemote(upstream) && isOlder(front, upstream)

/** What the protocol does not carry from one revision to another. `npm run gateway -- --matrix` skips these tests with the reason. */
export const DIFFERENCES: readonly Difference[] = [
  {
    test: 'TOOL-033',
    where: (front, upstream) => isRemote(upstream) && front.revision < '2025-11-25' && upstream.revision >= '2025-11-25',
    reason: 'the server reports invalid arguments as a result, which stays one',
  },
  {
    test: 'TOOL-033',
    where: (front, upstream) => upstream.revision < '2025-11-25' && front.revision >= '2025-11-25',
    reason: 'the server reports invalid arguments as an error, which stays one',
  },
  { test: 'BASE-051', where: isLegacy, reason: 'a session of a legacy server shows the client info of the gateway' },
  { test: 'BASE-032', where: isLegacy, reason: 'a session of a legacy server shows the client info of the gateway' },
  { test: 'TOOL-003', where: isLegacy, reason: 'a session of a legacy server shows the client info of the gateway' },
  {
    test: 'TOOL-027',
    where: isRemoteAndOlder,
    reason: 'the revision of the server wraps structured content that is not an object',
  },
  { test: 'TOOL-029', where: isRemoteAndOlder, reason: 'the revision of the server restricts output schemas' },
  {
    test: 'LOG-009',
    where: (_front, { transport }) => transport === 'stdio' || transport === 'channel',
    reason: 'over stdio, a log message does not say which of several requests it belongs to',
  },
  { test: 'CACHE-001', where: isLegacy, reason: 'the revision of the server has no cache hints' },
  { test: 'MRTR-003', where: isLegacy, reason: 'a result of a legacy server does not name the server' },
  { test: 'TSKL-004', where: (_front, upstream) => isRemote(upstream), reason: 'a tool without task support answers at once' },
  { test: 'TSKL-009', where: (_front, upstream) => isRemote(upstream), reason: 'the TTL of a task is the choice of the server' },
  {
    test: 'TSKX-034',
    where: (_front, upstream) => isRemote(upstream),
    reason: 'only 2025-11-25 lists task support for each tool',
  },
  {
    test: 'TSKX-003',
    where: (_front, upstream) => isRemote(upstream),
    reason: 'a tool that requires a task rejects the call with its own error',
  },
  { test: 'TSKX-011', where: isRemoteAndOlder, reason: 'a task of 2025-11-25 starts before it asks' },
  { test: 'TSKX-012', where: isRemoteAndOlder, reason: 'the input requests of 2025-11-25 have no keys' },
]

/** Returns the reason why a test does not apply, if there is one. */
export function differenceOf(title: string, front: Setup, upstream: UpstreamSetup): string | undefined {
  if (upstream.revision < '2025-11-25' && isOlder(front, upstream))
    return 'clients that are newer than such a server are tested in older-servers.test.ts'
  return DIFFERENCES.find(({ test, where }) => title.startsWith(test) && where(front, upstream))?.reason
}
