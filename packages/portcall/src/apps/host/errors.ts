import { PortcallError } from '../../../../util/src/errors.ts'

/**
 * `SANDBOX_SAME_ORIGIN`: the proxy page would have the origin of the host. `SANDBOX_NOT_LOADED`: the proxy page did not answer. `VIEW_UNREADABLE`: the
 * server has no such view. `VIEW_WRONG_TYPE`: its media type is not that of views. `VIEW_NOT_CONNECTED`: the view did not send `ui/initialize`.
 * `VIEW_NOT_RESPONDING`: a connected view does not react any more.
 */
export type HostErrorCode =
  | 'SANDBOX_SAME_ORIGIN'
  | 'SANDBOX_NOT_LOADED'
  | 'VIEW_UNREADABLE'
  | 'VIEW_WRONG_TYPE'
  | 'VIEW_NOT_CONNECTED'
  | 'VIEW_NOT_RESPONDING'

/** The reason why a view is not shown. */
export class HostError extends PortcallError {
  override readonly name = 'HostError'
  readonly code: HostErrorCode

  /** Creates the error of a host. */
  constructor(code: HostErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
