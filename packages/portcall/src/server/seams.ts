import type { Method } from '../protocol/methods.ts'
import type { Bus } from '../stores/bus.ts'
import type { Sealer } from '../stores/seal.ts'
import type { Store } from '../stores/store.ts'
import type { AroundTool, DescribeTool } from './around.ts'
import type { Dispatch, Handler } from './dispatch.ts'
import type { Admit, Subscriptions } from './subscriptions.ts'

/** Where a server is open to extensions: the tables that they write in, and what they share with it. */
export interface Seams {
  /** Their ids. */
  readonly ids: Set<string>
  readonly methods: Map<string, Method>
  readonly handlers: Map<string, Handler>
  /** Around each call of a tool, the outermost first. */
  readonly around: AroundTool[]
  /** What lists say of each tool beside what the core does. */
  readonly describing: DescribeTool[]
  /** More keys of the filter of a subscription. */
  readonly filters: Map<string, Admit>
  /** Called when the server closes. */
  readonly closing: (() => void)[]

  readonly dispatch: Dispatch
  readonly subscriptions: Subscriptions
  readonly store: Store
  readonly bus: Bus
  readonly sealer: Sealer
  readonly pageSize: number
}
