/** Hosts of MCP Apps: show views of tools in a page, and talk with them. @module */

export { createHostBridge, type HostBridge } from '../apps/host/bridge.ts'
export type { HostBridgeOptions } from '../apps/host/bridge-options.ts'
export { buildViewPolicy, type DroppedCspEntry, type HostCspRules, type ViewPolicy } from '../apps/host/csp.ts'
export type { OfferedFile } from '../apps/host/downloads.ts'
export { HostError, type HostErrorCode } from '../apps/host/errors.ts'
export type { PermissionName, SandboxToken } from '../apps/host/frame.ts'
export type { ViewState } from '../apps/host/methods.ts'
export { APP_HOSTS, type AppHostName, type AppHostProfile } from '../apps/host/profiles.ts'
export { sandboxHandler } from '../apps/host/sandbox-handler.ts'
export { type SandboxOptions, sandboxPage } from '../apps/host/sandbox-page.ts'
export { type ShownApp, showApp } from '../apps/host/show.ts'
export type { ShowAppOptions } from '../apps/host/show-options.ts'
export type {
  AppCallOptions,
  AppClient,
  AppEvent,
  AppHandlers,
  AppUpdate,
  ConnectedApp,
  ViewContent,
  ViewLogEntry,
  ViewToolCall,
} from '../apps/host/types.ts'
export type { AppPage } from '../apps/host/view-source.ts'
export type { DisplayMode, HostCapabilities, HostContext, Json } from '../apps/view/types.ts'
export type { ViewCsp, ViewMeta, ViewPermissions } from '../protocol/apps.ts'
