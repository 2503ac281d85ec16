import type { Middleware } from '../jsonrpc/exchange.ts'
import type { ClientCapabilities, Implementation, LoggingLevel } from '../protocol/types.ts'
import type { ClientExtension } from './extension.ts'
import type { Answers } from './input.ts'
import type { CacheOptions, ClientDeadlines, ClientEvent } from './options.ts'

/** How a client behaves; being there, the four answers declare what it can be asked. */
export interface ClientOptions<E extends readonly ClientExtension[] = readonly ClientExtension[]> extends Answers {
  /** Who this is, for display on the other side. */
  readonly info?: Implementation
  /** Parts of the protocol beyond the core; each is declared. Default: none. */
  readonly extensions?: E
  /** Declared beside what the answers declare: `sampling.tools`, `sampling.context`, extensions that nothing here knows. */
  readonly capabilities?: ClientCapabilities
  readonly deadlines?: Partial<ClientDeadlines>
  /** Deadlines of their own for some methods: `{ 'tools/call': { requestMs: 300_000 } }`. */
  readonly methodDeadlines?: { readonly [method: string]: Partial<ClientDeadlines> }
  /** How often one call may come back with questions. Default: 10. */
  readonly maxRounds?: number
  /** How many pages a list may have. Default: 64. */
  readonly maxPages?: number
  /** Results with a lifetime are kept for it; `false` keeps none. */
  readonly cache?: CacheOptions | false
  /** Asks servers for log messages from this level on; they come as events. */
  readonly logLevel?: LoggingLevel
  readonly middleware?: readonly Middleware[]
  readonly onEvent?: (event: ClientEvent) => void
}
