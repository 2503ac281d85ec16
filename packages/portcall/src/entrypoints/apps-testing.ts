/** For tests of views: a host in a headless browser, with any test runner. Needs Node and playwright-core. @module */

export type { ViewFrame, ViewLocator } from '../preview/browser/playwright.ts'
export { type CheckViewOptions, checkView, type ViewReport } from '../preview/checks/check-view.ts'
export type { ViewFinding } from '../preview/checks/finding.ts'
export { PreviewError, type PreviewErrorCode } from '../preview/errors.ts'
export type { PictureDifference } from '../preview/host/compare-pictures.ts'
export type { ViewFailure, ViewMessage, ViewSize } from '../preview/host/measures.ts'
export type { ShowViewOptions, TestHostOptions } from '../preview/host/options.ts'
export { type TestHost, testHost } from '../preview/host/test-host.ts'
export type { TestedView } from '../preview/host/tested-view.ts'
export { type Preview, type ServePreviewOptions, servePreview } from '../preview/serve-preview.ts'
export type { CspViolation } from '../preview/server/violations.ts'
export { listViewTools } from '../preview/view-tools.ts'
