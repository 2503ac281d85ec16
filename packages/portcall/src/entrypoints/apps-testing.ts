/** For tests of views: a host in a headless browser, with any test runner. Needs Node and playwright-core. @module */

export type { ViewFrame, ViewLocator } from '../preview/browser/playwright.ts'
export { PreviewError, type PreviewErrorCode } from '../preview/errors.ts'
export type { ViewFailure, ViewMessage, ViewSize } from '../preview/host/measures.ts'
export type { ShowViewOptions, TestHostOptions } from '../preview/host/options.ts'
export { type TestHost, testHost } from '../preview/host/test-host.ts'
export type { TestedView } from '../preview/host/tested-view.ts'
export type { CspViolation } from '../preview/server/violations.ts'
