/** The inspector: mount it in a development server, or run it with `portcall inspect`. @module */
export type { InspectorBackend } from '../../../inspector/server/backend.ts'
export type { BackendOptions, HostEntryText } from '../../../inspector/server/core-parts.ts'
export {
  type InspectorHandler,
  type InspectorHandlerOptions,
  type InspectorServerOptions,
  inspectorHandler,
  type ListeningInspector,
  serveInspector,
} from '../../../inspector/server/http/inspector-server.ts'
export type { FirstView, ViewSettings } from '../../../inspector/server/protocol/views.ts'
export type { TargetLoaders } from '../../../inspector/server/servers/resolver.ts'
export type { NamedServer, ServerSources } from '../../../inspector/server/servers/sources.ts'
