/**
 * The JSON Schema of the configuration of a gateway. The package contains it as `portcall/gateway.schema.json`, and the reference in the
 * documentation is generated from it.
 */
import type { JsonObject } from '../../jsonrpc/message.ts'
import { SUPPORTED_VERSIONS } from '../../protocol/revisions.ts'
import { ACCOUNTS_SCHEMA, SEARCH_SCHEMA, SERVER_AUTH_SCHEMA, SETS_SCHEMA } from './access-schema.ts'
import { POLICY_SCHEMAS } from './policy-schema.ts'
import { choice, count, flag, record, section, text, texts } from './schema-parts.ts'

const items = (kind: string, { isNamed }: { readonly isNamed: boolean }): JsonObject =>
  section(`Which ${kind} the server offers. Patterns ${isNamed ? '' : 'match URIs and '}may contain \`*\`.`, {
    include: texts(`Offer only ${kind} that match one of these patterns. Default: all.`),
    exclude: texts(`Leave out ${kind} that match one of these patterns.`),
    ...(isNamed && { rename: record(`Other names, by the name on the server.`, { type: 'string', minLength: 1 }) }),
  })

const SERVER = section('How the gateway uses one server.', {
  alias: text('The prefix of the names of its tools and prompts, in place of the name of the server.', { minLength: 1 }),
  disabled: flag('Leaves the server out.'),
  required: flag(
    'Fails requests that concern all servers while this one is not available, instead of leaving it out. Default: false.',
  ),
  sharing: choice(
    'Whether all callers share connections and child processes, or each authenticated caller or each session has its own. Default: `shared`.',
    ['shared', 'principal', 'session'],
  ),
  protocolVersion: choice('The only protocol version to use with the server. Default: the newest version that both support.', [
    ...SUPPORTED_VERSIONS,
  ]),
  tools: items('tools', { isNamed: true }),
  prompts: items('prompts', { isNamed: true }),
  resources: items('resources and resource templates', { isNamed: false }),
  listTimeoutMs: count('How long a list waits for the server, in milliseconds. Then the server is left out. Default: 2000.'),
  connectTimeoutMs: count(
    'Timeout for connecting, including the start of a process and the handshake, in milliseconds. Default: 60000.',
  ),
  idleTimeoutMs: count(
    'Closes a connection, and ends its process, after this time without use, in milliseconds. Default: never if it is shared, otherwise 600000.',
  ),
  maxConnections: count('The maximum number of connections, and of child processes. Default: 1000.', { minimum: 1 }),
  maxRequests: count(
    'The maximum number of requests at the same time, except subscriptions. Further ones wait up to 30 seconds. Default: 1000.',
    { minimum: 1 },
  ),
  auth: SERVER_AUTH_SCHEMA,
})

const ISSUER: JsonObject = {
  anyOf: [
    text('The URL of an issuer. Its metadata says where its keys are.'),
    section(
      'An issuer and its keys.',
      {
        issuer: text('The exact `iss` of its access tokens.'),
        jwksUri: text('The URL of its keys. Default: what its metadata says.'),
        audience: text('The `aud` of its access tokens, if it is not `resource`.'),
      },
      { required: ['issuer'] },
    ),
  ],
}

const API_KEY = section(
  'One API key: `key`, or its `hash`.',
  {
    subject: text('The user or program that the key identifies.', { minLength: 1 }),
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the configuration
    key: text('The key itself, at least 16 characters. Use a variable, such as `${CI_KEY}`.'),
    hash: text('The SHA-256 of the key in base64url, so that the file contains no secret.'),
    scopes: texts('The scopes of the key. Default: none.'),
  },
  { required: ['subject'] },
)

/** The `gateway` section. */
export const GATEWAY_SECTION_SCHEMA: JsonObject = section('The settings of the gateway.', {
  listen: section('Where the gateway listens. The options of the command take precedence.', {
    port: count('The port; 0 for any free port. Default: 3000.', { maximum: 65_535 }),
    host: text(
      'The address. Addresses that are not loopback require `auth`, or `allowedHosts` and the option `--insecure-no-auth`. Default: 127.0.0.1.',
    ),
    path: text('The path of the endpoint. With `auth`, it is that of `resource`. Default: /mcp.', { pattern: '^/' }),
    allowedHosts: texts('The names of the gateway in the `Host` header. Default: the loopback names.'),
    allowedOrigins: texts('The origins of web pages that may call. Default: those on the allowed hosts.'),
    legacy: choice(
      'How clients of the legacy revisions are served over HTTP: with sessions, stateless, or not at all. Default: `sessions`.',
      ['sessions', 'stateless', 'off'],
    ),
    drainTimeoutMs: count('How long running calls may take when the gateway stops, in milliseconds. Default: 10000.'),
    shutdownDelayMs: count(
      'How long the gateway goes on serving after a signal while `/readyz` reports 503, in milliseconds. Default: 0.',
    ),
  }),
  auth: section(
    'Who may call. Default: everybody who reaches the address, which must then be a loopback address.',
    {
      resource: text('The URL by which clients reach the gateway. Access tokens must be issued for it.'),
      issuers: { type: 'array', items: ISSUER, description: 'The issuers of access tokens (JWT).' },
      apiKeys: { type: 'array', items: API_KEY, description: 'The keys that the gateway accepts in `Authorization: Bearer`.' },
      scopes: texts('The scopes that every request needs.'),
    },
    { required: ['resource'] },
  ),
  info: section(
    'The name and version of the gateway, as clients see them.',
    { name: text('The name.', { minLength: 1 }), title: text('The name to display.'), version: text('The version.') },
    { required: ['name', 'version'] },
  ),
  instructions: text('Instructions for the model, before those of the servers.'),
  names: section('How the names of tools and prompts are made unique.', {
    mode: choice(
      '`always`: `server__name`. `on-conflict`: the server is added only where names are not unique. `never`: the first server wins. Default: `always`.',
      ['always', 'on-conflict', 'never'],
    ),
    maxLength: count('The maximum length of a name; longer ones end in a hash. Default: 60.', { minimum: 32, maximum: 128 }),
    dots: flag('Allows dots in names, which some models do not accept. Default: false.'),
  }),
  servers: record('Settings of single servers, by the name of the server.', SERVER),
  search: SEARCH_SCHEMA,
  sets: SETS_SCHEMA,
  accounts: ACCOUNTS_SCHEMA,
  store: text(
    'Where state is kept that several processes share: `sqlite:FILE`, `redis://HOST:PORT` or `postgres://HOST/DATABASE`. Default: in memory.',
  ),
  sealingKeys: texts('Keys that seal request states and cursors. Default: one key in the store.'),
  pageSize: count('The maximum number of items on a page of a list. Default: 1000.', { minimum: 1 }),
  requestStateTtlMs: count('How long a call waits for the input of the user, in milliseconds. Default: 900000.'),
  admin: {
    description: 'The admin endpoint on the loopback interface. Default: on any free port; `false` disables it.',
    anyOf: [
      { const: false },
      section('The admin endpoint.', { port: count('The port; 0 for any free port.', { maximum: 65_535 }) }),
    ],
  },
  ...POLICY_SCHEMAS,
})

/** An entry of a server, for editors. Hosts have more fields, so others are allowed. */
const SERVER_ENTRY: JsonObject = {
  type: 'object',
  description: 'A server: a program, or a URL.',
  properties: {
    command: text('The program to start. It is not run by a shell.'),
    args: texts('Its arguments.'),
    env: record('Its environment variables.', { type: ['string', 'number', 'boolean'] }),
    envFile: text('A file with more environment variables.'),
    cwd: text('Its working directory.'),
    url: text('The URL of the server.'),
    headers: record('Headers of every HTTP request to it.', { type: 'string' }),
    disabled: flag('Leaves the server out.'),
  },
}

/** The JSON Schema of the whole file. */
export const GATEWAY_CONFIG_SCHEMA: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Configuration of a Portcall gateway',
  type: 'object',
  properties: {
    $schema: { type: 'string' },
    mcpServers: record('The servers, by name. All formats of MCP hosts work.', SERVER_ENTRY),
    gateway: GATEWAY_SECTION_SCHEMA,
  },
}
