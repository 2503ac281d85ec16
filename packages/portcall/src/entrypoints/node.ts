/** Servers over HTTP with `node:http`. `portcall/http` exports the types of their options. @module */
export type { EndpointObserver, EndpointSizes, MetricsPage } from '../protocol/metrics.ts'
export { type ListeningServer, nodeHandler, type ServeOptions, serve, workerNumber } from '../serve/node.ts'
export type { NodeHandler } from '../transports/http/server/node/handler.ts'
export type { HealthOptions } from '../transports/http/server/node/health.ts'
export type { NodeServerLimits } from '../transports/http/server/node/server.ts'
