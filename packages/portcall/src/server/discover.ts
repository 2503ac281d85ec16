import { MODERN_VERSIONS } from '../protocol/revisions.ts'
import type { CacheHint, DiscoverResult, ServerCapabilities } from '../protocol/types.ts'

export interface DiscoverOptions {
  readonly capabilities: () => ServerCapabilities
  readonly instructions: string | undefined
  readonly hint: () => CacheHint
}

/** Makes the handler of `server/discover`. https://modelcontextprotocol.io/specification/2026-07-28/server/discover */
export function createDiscover({ capabilities, instructions, hint }: DiscoverOptions): () => DiscoverResult {
  return () => ({
    supportedVersions: [...MODERN_VERSIONS],
    capabilities: capabilities(),
    ...(instructions === undefined ? {} : { instructions }),
    ...hint(),
  })
}
