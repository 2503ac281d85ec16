/** The one table of what may import what inside packages/portcall/src. Everything that enforces or shows it reads it here. */

/** Folder → the folders that it may import. */
export const FOLDERS = {
  jsonrpc: [],
  schema: [],
  stores: ['jsonrpc'],
  protocol: ['jsonrpc', 'schema'],
  server: ['protocol', 'jsonrpc', 'schema', 'stores'],
  client: ['protocol', 'jsonrpc', 'schema', 'stores'],
  legacy: ['protocol', 'jsonrpc', 'schema', 'stores'],
  transports: ['legacy', 'protocol', 'jsonrpc', 'stores'],
  auth: ['stores', 'protocol', 'jsonrpc'],
  tasks: ['stores', 'protocol', 'jsonrpc', 'schema'],
  connect: ['client', 'legacy', 'transports', 'protocol', 'jsonrpc', 'schema', 'stores'],
  gateway: ['client', 'auth', 'stores', 'protocol', 'jsonrpc'],
}

/** Extensions: beside the folders above they see the package as strangers do, by its doors. */
export const GUESTS = ['tasks']

/** Above the doors: these import the package as its users do. `testing` may also look into every folder. */
export const ABOVE = { testing: Object.keys(FOLDERS), cli: [], skills: [] }

/** The only files that may import Node's own modules; a trailing slash names a folder. */
export const NODE_FILES = [
  'node.ts',
  'stdio.ts',
  'cli/',
  'auth/client/http/node-dial.ts',
  'auth/client/node/',
  'skills/folder.ts',
  'skills/serve-folder.ts',
  'stores/sqlite/',
  'transports/http/node.ts',
  'transports/http/node-body.ts',
  'transports/http/node-server.ts',
  'transports/http/node-sink.ts',
  'transports/http/node-answer.ts',
  'transports/http/node-client.ts',
  'transports/http/plain/',
  'transports/stdio/environment.ts',
  'transports/stdio/process.ts',
  'transports/stdio/process-group.ts',
  'transports/stdio/spawn.ts',
  'transports/stdio/spawn-failure.ts',
  'testing/pair-stdio.ts',
  'testing/faulty-proxy.ts',
  'testing/oauth/listen.ts',
]

/** Installed packages → the folders that may import them. */
export const PACKAGES = {
  typebox: ['schema'],
  re2js: ['schema'],
  'jsonc-parser': ['connect', 'cli'],
  yaml: ['skills'],
  '@decimalturn/toml-patch': ['cli'],
  'ipaddr.js': ['auth'],
  jose: ['auth', 'testing'],
  oauth4webapi: ['auth'],
}
