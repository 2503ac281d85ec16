/** Views of MCP Apps: the page's side, for browsers. @module */

export type { App, AppEvents, AppOptions, CallParameters } from '../apps/view/app.ts'
export type { AppRequestOptions } from '../apps/view/bridge.ts'
export { connectApp } from '../apps/view/connect.ts'
export { applyDefaultStyles } from '../apps/view/default-styles.ts'
export { AppError, type AppErrorCode } from '../apps/view/errors.ts'
export { applyHostStyles } from '../apps/view/style.ts'
export type { AppResult, DisplayMode, HostCapabilities, HostContext, Json, ViewTool } from '../apps/view/types.ts'
export type { AppTools, AppToolTypes } from '../protocol/apps.ts'
