/** The import rules of packages/, the folders of packages/portcall/src above all. dependency-cruiser and ARCHITECTURE.md follow these tables. */

/** Maps each folder to the folders it may import, which are all above it here. */
export const FOLDERS = {
  util: [],
  jsonrpc: ['util'],
  schema: ['jsonrpc', 'util'],
  stores: ['jsonrpc', 'util'],
  net: ['jsonrpc', 'util'],
  protocol: ['jsonrpc', 'schema', 'util'],
  logging: ['protocol', 'jsonrpc', 'util'],
  server: ['logging', 'protocol', 'jsonrpc', 'schema', 'stores', 'util'],
  client: ['protocol', 'jsonrpc', 'schema', 'stores', 'util'],
  legacy: ['protocol', 'jsonrpc', 'schema', 'stores', 'util'],
  transports: ['legacy', 'net', 'protocol', 'jsonrpc', 'stores', 'util'],
  auth: ['transports', 'net', 'stores', 'protocol', 'jsonrpc', 'util'],
  cards: ['auth', 'transports', 'stores', 'protocol', 'jsonrpc', 'util'],
  tasks: ['server', 'client', 'stores', 'protocol', 'jsonrpc', 'schema', 'util'],
  events: ['server', 'client', 'auth', 'net', 'stores', 'protocol', 'jsonrpc', 'schema', 'util'],
  skills: ['server', 'client', 'stores', 'protocol', 'jsonrpc', 'util'],
  apps: ['protocol', 'jsonrpc', 'schema', 'util'],
  views: ['server', 'protocol', 'jsonrpc', 'schema', 'util'],
  adapters: ['client', 'protocol', 'jsonrpc', 'schema', 'util'],
  openapi: ['server', 'auth', 'net', 'protocol', 'jsonrpc', 'schema', 'util'],
  middleware: ['logging', 'stores', 'jsonrpc', 'util'],
  cluster: ['stores', 'util'],
  serve: ['cards', 'cluster', 'server', 'transports', 'protocol', 'stores', 'util'],
  telemetry: ['logging', 'client', 'protocol', 'jsonrpc', 'stores', 'util'],
  connect: [
    'cards',
    'auth',
    'client',
    'legacy',
    'net',
    'transports',
    'logging',
    'protocol',
    'jsonrpc',
    'schema',
    'stores',
    'util',
  ],
  compose: ['server', 'protocol', 'jsonrpc', 'schema', 'stores', 'util'],
  gateway: [
    'auth',
    'compose',
    'connect',
    'client',
    'server',
    'transports',
    'middleware',
    'logging',
    'protocol',
    'jsonrpc',
    'schema',
    'stores',
    'util',
  ],
  recording: ['protocol', 'jsonrpc', 'util'],
  diagnostics: [
    'cards',
    'recording',
    'views',
    'auth',
    'compose',
    'connect',
    'client',
    'legacy',
    'transports',
    'net',
    'protocol',
    'jsonrpc',
    'schema',
    'stores',
    'util',
  ],
  preview: ['diagnostics', 'apps', 'auth', 'connect', 'client', 'transports', 'protocol', 'jsonrpc', 'util'],
  testing: ['serve', 'connect', 'auth', 'tasks', 'client', 'server', 'transports', 'protocol', 'jsonrpc', 'stores', 'util'],
}

/**
 * Maps the applications, which are packages, to the files of the library that they may import besides entry points and `util`. The inspector
 * checks and shows messages as the library writes and reads them: for that it needs the tables of the protocol, the parts that encode and
 * decode, and the check of hosts that every server makes. None of them is of use without the library, so they are not public.
 */
export const APPLICATIONS = {
  inspector: [
    'diagnostics/compare/json-diff.ts',
    'diagnostics/compare/result-condition.ts',
    'diagnostics/compare/unwrap-output-schemas.ts',
    'jsonrpc/errors.ts',
    'jsonrpc/message.ts',
    'jsonrpc/parse-object.ts',
    'legacy/render/unwrap-schema.ts',
    'preview/server/sandbox-server.ts',
    'protocol/header-params.ts',
    'protocol/input-types.ts',
    'protocol/meta.ts',
    'protocol/methods.ts',
    'protocol/probes.ts',
    'protocol/revisions.ts',
    'protocol/tasks.ts',
    'recording/redact.ts',
    'transports/http/common/sse-decode.ts',
    'transports/http/common/sse-encode.ts',
    'transports/http/server/host-check.ts',
    'transports/http/server/node/listen-error.ts',
  ],
  cli: [],
}

/** The folders of these tables that are packages of their own, and where they are. The others are in packages/portcall/src. */
export const HOMES = {
  util: 'packages/util/src',
  cli: 'packages/cli/src',
  inspector: 'packages/inspector/server',
}

/**
 * The order inside folders of several layers: a folder imports itself and the folders before it, types included. `.` stands for the files beside the
 * folders, of which there are at most `maxLooseFiles`.
 */
export const ORDERS = {
  gateway: {
    order: ['policy', 'api', 'upstreams', 'routes', 'lists', 'calls', 'subscriptions', '.', 'credentials', 'admin', 'config'],
    maxLooseFiles: 6,
  },
}

/** Modules of the library that the page of the inspector may import: none needs Node or has a state. A trailing slash names a folder. */
export const PAGE_MODULES = [
  'apps/host/',
  'preview/checks/policy-findings.ts',
  'protocol/apps.ts',
  'protocol/elicitation.ts',
  'protocol/text-formats.ts',
  'schema/uri-template/',
]

/** Modules of the library whose types the page may import besides. */
export const PAGE_TYPES = [
  'inspector/protocol.ts',
  'inspector/protocol/',
  'apps/view/types.ts',
  'protocol/types.ts',
  'diagnostics/quality/host-verdict.ts',
]

/** The only files that may import Node's built-in modules. A trailing slash names a folder. */
export const NODE_FILES = [
  'serve/node.ts',
  'serve/stdio.ts',
  'connect/config/text-file.ts',
  'cluster/',
  'diagnostics/doctor/',
  'compose/code/run-program.ts',
  'compose/code/sandbox.ts',
  'net/decode-body.ts',
  'net/decode-message.ts',
  'net/proxy-setting.ts',
  'net/routes.ts',
  'net/tunnel.ts',
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
  'transports/http/server/node/graceful-close.ts',
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
  'preview/browser/',
  'preview/checks/axe.ts',
  'preview/server/',
  'views/bundle/',
  'util/file-lock.ts',
  'util/find-script.ts',
  'util/is-running.ts',
  'util/rename-file.ts',
  'util/watch-tree.ts',
  'util/write-file-atomically.ts',
  'transports/stdio/orphan-guard.ts',
  'gateway/admin/',
  'testing/pair/stdio.ts',
  'testing/faults/faulty-proxy.ts',
  'testing/oauth/http-listener.ts',
]

/** Maps each bundled package to the folders that may import it. */
export const PACKAGES = {
  parse5: ['views'],
  '@csstools/css-tokenizer': ['views'],
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
  preact: ['apps'],
  react: ['apps'],
}
