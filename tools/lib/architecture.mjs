/** The import rules of packages/portcall/src. dependency-cruiser and ARCHITECTURE.md follow these tables. */

/** Maps each folder to the folders it may import. */
export const FOLDERS = {
  util: [],
  jsonrpc: ['util'],
  schema: ['jsonrpc', 'util'],
  stores: ['jsonrpc', 'util'],
  protocol: ['jsonrpc', 'schema', 'util'],
  server: ['protocol', 'jsonrpc', 'schema', 'stores', 'util'],
  client: ['protocol', 'jsonrpc', 'schema', 'stores', 'util'],
  legacy: ['protocol', 'jsonrpc', 'schema', 'stores', 'util'],
  transports: ['legacy', 'protocol', 'jsonrpc', 'stores', 'util'],
  auth: ['stores', 'protocol', 'jsonrpc', 'util'],
  tasks: ['stores', 'protocol', 'jsonrpc', 'schema', 'util'],
  middleware: ['stores', 'jsonrpc', 'util'],
  cluster: ['stores', 'util'],
  telemetry: ['middleware', 'client', 'protocol', 'jsonrpc', 'stores', 'util'],
  connect: ['client', 'legacy', 'transports', 'protocol', 'jsonrpc', 'schema', 'stores', 'util'],
  compose: ['server', 'protocol', 'jsonrpc', 'schema', 'stores', 'util'],
  gateway: [
    'auth',
    'compose',
    'connect',
    'client',
    'server',
    'transports',
    'middleware',
    'protocol',
    'jsonrpc',
    'schema',
    'stores',
    'util',
  ],
}

/** Extensions: they may also import the entry points, as users do. */
export const EXTENSIONS = ['tasks']

/** Folders above the entry points: they import the package as users do. `testing` may also import every folder. */
export const CONSUMERS = {
  testing: Object.keys(FOLDERS),
  cli: ['util'],
  skills: ['util'],
  inspector: ['testing', 'transports', 'protocol', 'jsonrpc', 'util'],
  openapi: ['auth', 'schema', 'util'],
  adapters: [],
}

/** The only files that may import Node's built-in modules. A trailing slash names a folder. */
export const NODE_FILES = [
  'entrypoints/node.ts',
  'entrypoints/stdio.ts',
  'entrypoints/gateway-admin.ts',
  'connect/config/text-file.ts',
  'cli/',
  'cluster/',
  'entrypoints/inspector.ts',
  'inspector/',
  'compose/code/run-program.ts',
  'compose/code/sandbox.ts',
  'auth/client/http/node-send.ts',
  'auth/client/node/',
  'gateway/policy/pin-file.ts',
  'middleware/audit/file.ts',
  'skills/folder.ts',
  'skills/serve-folder.ts',
  'stores/sqlite/',
  'transports/http/server/node/handler.ts',
  'transports/http/server/node/health.ts',
  'transports/http/server/node/metrics-page.ts',
  'transports/http/server/node/body.ts',
  'transports/http/server/node/server.ts',
  'transports/http/server/node/event-sink.ts',
  'transports/http/server/node/client-error.ts',
  'transports/http/server/node/pipelining.ts',
  'transports/http/client/node-fetch.ts',
  'transports/http/client/fast-path/',
  'transports/http/server/fast-path/',
  'transports/stdio/environment.ts',
  'transports/stdio/pipe-channel.ts',
  'transports/stdio/process-channel.ts',
  'transports/stdio/process-group.ts',
  'transports/stdio/spawn.ts',
  'transports/stdio/spawn-failure.ts',
  'util/find-script.ts',
  'util/rename-file.ts',
  'transports/stdio/orphan-guard.ts',
  'gateway/admin/',
  'testing/pair/stdio.ts',
  'testing/faults/faulty-proxy.ts',
  'testing/oauth/http-listener.ts',
]

/** Maps each bundled package to the folders that may import it. */
export const PACKAGES = {
  typebox: ['schema'],
  re2js: ['schema'],
  'jsonc-parser': ['connect', 'cli'],
  yaml: ['connect', 'skills', 'openapi'],
  '@apidevtools/json-schema-ref-parser': ['openapi'],
  '@decimalturn/toml-patch': ['connect', 'cli'],
  'ipaddr.js': ['auth'],
  jose: ['auth', 'testing'],
  minisearch: ['compose'],
  oauth4webapi: ['auth'],
  '@opentelemetry/api': ['telemetry'],
  'prom-client': ['telemetry'],
}
