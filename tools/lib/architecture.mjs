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
  connect: ['client', 'legacy', 'transports', 'protocol', 'jsonrpc', 'schema', 'stores', 'util'],
  gateway: ['auth', 'connect', 'client', 'server', 'transports', 'middleware', 'protocol', 'jsonrpc', 'schema', 'stores', 'util'],
}

/** Extensions: they may also import the entry points, as users do. */
export const EXTENSIONS = ['tasks']

/** Folders above the entry points: they import the package as users do. `testing` and `inspector` may also import every folder. */
export const CONSUMERS = {
  testing: Object.keys(FOLDERS),
  inspector: [...Object.keys(FOLDERS), 'testing'],
  cli: ['util'],
  skills: ['util'],
}

/** The only files that may import Node's built-in modules. A trailing slash names a folder. */
export const NODE_FILES = [
  'entrypoints/node.ts',
  'entrypoints/stdio.ts',
  'entrypoints/gateway-admin.ts',
  'connect/config/text-file.ts',
  'cli/',
  'entrypoints/inspector.ts',
  'inspector/',
  'auth/client/http/node-send.ts',
  'auth/client/node/',
  'gateway/policy/pin-file.ts',
  'middleware/audit/file.ts',
  'skills/folder.ts',
  'skills/serve-folder.ts',
  'stores/sqlite/',
  'transports/http/server/node/handler.ts',
  'transports/http/server/node/health.ts',
  'transports/http/server/node/body.ts',
  'transports/http/server/node/server.ts',
  'transports/http/server/node/event-sink.ts',
  'transports/http/server/node/client-error.ts',
  'transports/http/server/node/pipelining.ts',
  'transports/http/client/node-fetch.ts',
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
  'inspector/doctor/',
  'testing/pair/stdio.ts',
  'testing/faults/faulty-proxy.ts',
  'testing/oauth/http-listener.ts',
]

/** Maps each bundled package to the folders that may import it. */
export const PACKAGES = {
  typebox: ['schema'],
  re2js: ['schema'],
  'jsonc-parser': ['connect', 'cli'],
  yaml: ['connect', 'skills'],
  '@decimalturn/toml-patch': ['connect', 'cli'],
  'ipaddr.js': ['auth'],
  jose: ['auth', 'testing'],
  oauth4webapi: ['auth'],
}
