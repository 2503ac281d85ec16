import type { Endpoint } from './endpoint.ts'
import { createLateSessions } from './late.ts'
import type { Legacy } from './legacy-half.ts'
import type { HttpOptions } from './options.ts'
import { createSessions } from './sessions.ts'
import { createStateless } from './stateless.ts'

const MODES = {
  sessions: createKept,
  stateless: createStateless,
  off: () => undefined,
}

/** Keeps sessions in this process, or where several can have them. */
function createKept(endpoint: Endpoint, options: HttpOptions): Legacy {
  const { stores, mayRepeat = () => false } = options
  return stores ? createLateSessions(endpoint, { stores, mayRepeat }) : createSessions(endpoint, options)
}

/** Makes the half of an endpoint that speaks the legacy era, or nothing. */
export function createLegacy(endpoint: Endpoint, options: HttpOptions): Legacy | undefined {
  return MODES[options.legacy ?? 'sessions'](endpoint, options)
}
