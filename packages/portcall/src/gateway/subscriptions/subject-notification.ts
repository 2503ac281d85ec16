import type { Notification } from '../../jsonrpc/message.ts'

/** A notification about a subject. */
export interface SubjectNotification {
  /** A list, a resource or a task. */
  readonly subject: string
  readonly message: Notification
  /** The same about the whole collection that the caller subscribed to, for a caller that is too slow for the single resources. */
  readonly collection?: Omit<SubjectNotification, 'collection'> | undefined
}
