import { PortcallError } from '../../../util/src/errors.ts'

/**
 * `PLAYWRIGHT_MISSING`: neither playwright-core nor playwright is installed. `BROWSER_MISSING`: there is no Chromium, or it does not start.
 * `PREVIEW_NOT_BUILT`: the package lacks the pages of the host.
 */
export type PreviewErrorCode = 'PLAYWRIGHT_MISSING' | 'BROWSER_MISSING' | 'PREVIEW_NOT_BUILT'

/** The reason why views cannot be shown in a browser. */
export class PreviewError extends PortcallError {
  override readonly name = 'PreviewError'
  readonly code: PreviewErrorCode

  /** Creates the error of a test host. */
  constructor(code: PreviewErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
