import { PortcallError } from '../../../util/src/errors.ts'

/** The kinds of `ViewError`. */
export type ViewErrorCode =
  | 'VIEW_NOT_FOUND'
  | 'VIEW_UNSUPPORTED'
  | 'VIEW_NEEDS_FILES'
  | 'VIEW_NEEDS_BUNDLER'
  | 'VIEW_BUILD_FAILED'
  | 'VIEW_NAME_TAKEN'

/** Thrown when a view cannot be served: its file is missing, or cannot be bundled. The message names the file. */
export class ViewError extends PortcallError {
  override readonly name = 'ViewError'
  readonly code: ViewErrorCode

  /** Creates the error of a view. */
  constructor(code: ViewErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
