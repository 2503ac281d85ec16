import type { WebhookReceiver } from '../events/webhook-receiver.ts'
import type { OperationOptions, OperationState } from '../protocol/operations.ts'
import type { Inventories } from '../servers/inventories.ts'
import type { ManagedServer } from '../servers/managed-server.ts'

/** The context of an operation. */
export interface OperationContext {
  /** The id of the operation. */
  readonly id: string
  /** Receives the events of webhook subscriptions. */
  readonly receiver: WebhookReceiver
  readonly server: ManagedServer
  readonly options: OperationOptions
  readonly signal: AbortSignal
  readonly inventories: Inventories
  /** Reports what is known before the end. */
  readonly update: (change: Partial<Pick<OperationState, 'progress' | 'updates' | 'result' | 'repeated'>>) => void
}
