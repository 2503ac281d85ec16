import type { Endpoint } from './endpoint.ts'
import type { Legacy } from './legacy-half.ts'
import type { HttpOptions } from './options.ts'
import { createSessions } from './sessions.ts'
import { createStateless } from './stateless.ts'

const MODES = {
  sessions: createSessions,
  stateless: createStateless,
  off: () => undefined,
}

/** Makes the half of an endpoint that speaks the legacy era, or nothing. */
export function createLegacy(endpoint: Endpoint, options: HttpOptions): Legacy | undefined {
  return MODES[options.legacy ?? 'sessions'](endpoint, options)
}
