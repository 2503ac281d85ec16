/** The inspector: mount it in a development server, or run it with `portcall inspect`. @module */
export type { InspectorBackend } from '../inspector/backend.ts'
export type { BackendOptions, HostEntryText } from '../inspector/core-parts.ts'
export {
  type InspectorHandler,
  type InspectorHandlerOptions,
  type InspectorServerOptions,
  inspectorHandler,
  type ListeningInspector,
  serveInspector,
} from '../inspector/http/inspector-server.ts'
export type { TargetLoaders } from '../inspector/servers/resolver.ts'
export type { NamedServer, ServerSources } from '../inspector/servers/sources.ts'
