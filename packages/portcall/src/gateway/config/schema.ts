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
    ...(isNamed && { rename: record(`New names, by the name on the server.`, { type: 'string', minLength: 1 }) }),
  })

/** The settings of one server. */
export const SERVER_SCHEMA: JsonObject = section('How the gateway uses one server.', {
  alias: text('The prefix for the names of its tools and prompts. Default: the name of the server.', { minLength: 1 }),
  disabled: flag('Leaves the server out.'),
  required: flag(
    'While the server is unavailable, requests to all servers, such as lists, fail. Otherwise they leave this server out. Default: false.',
  ),
  sharing: choice(
    'Who shares a connection or child process: all callers (`shared`), the sessions of one authenticated caller (`principal`), or nobody (`session`). Default: `shared`.',
    ['shared', 'principal', 'session'],
  ),
  protocolVersion: choice('The only protocol version to use with the server. Default: the newest version that both support.', [
    ...SUPPORTED_VERSIONS,
  ]),
  tools: items('tools', { isNamed: true }),
  prompts: items('prompts', { isNamed: true }),
  resources: items('resources and resource templates', { isNamed: false }),
  events: items('event types', { isNamed: true }),
  eventWebhook: flag(
    'Receives the events that the server delivers to webhooks only, at the URL of `eventWebhook`, and offers them by `push`. Default: false, such events are left out.',
  ),
  listTimeoutMs: count('How long a list waits for the server before it leaves it out, in milliseconds. Default: 2000.'),
  capabilities: choice(
    'The client capabilities that a program of an older protocol version is started with. `all`: every kind of input, so that clients with different capabilities share a process. `exact`: those of each client, in processes of their own. Default: `all` for processes with one user, because the gateway has no `auth` or `sharing` is `principal`, and otherwise `exact`.',
    ['all', 'exact'],
  ),
  startTimeoutMs: count(
    'How long a list waits for a program that is started for the first time, in milliseconds since it was started. Default: listTimeoutMs if that is set, and otherwise 20000.',
  ),
  connectTimeoutMs: count(
    'Timeout for connecting, including the start of a process and the handshake, in milliseconds. Default: 60000.',
  ),
  idleTimeoutMs: count(
    'Closes a connection, and ends its process, after this time without use, in milliseconds. Default: 600000, and never for the first of those that are shared.',
  ),
  maxConnections: count('The maximum number of connections or child processes. Default: 1000.', { minimum: 1 }),
  maxRequests: count(
    'The maximum number of concurrent requests, except subscriptions; one caller may have half of them. Further ones wait up to 30 seconds. Default: 1000, or 200 for commands.',
    { minimum: 1 },
  ),
  auth: SERVER_AUTH_SCHEMA,
})

const ISSUER: JsonObject = {
  anyOf: [
    text('The URL of an issuer. Its metadata contains the URL of its keys.'),
    section(
      'An issuer and its keys.',
      {
        issuer: text('The `iss` of its access tokens.'),
        jwksUri: text('The URL of its keys. Default: the one in its metadata.'),
        audience: text('The `aud` of its access tokens. Default: `resource`.'),
        clientTokens: flag('Whether access tokens without `sub` belong to the client itself. Default: false, they are refused.'),
      },
      { required: ['issuer'] },
    ),
  ],
}

const CHANNEL_SCHEMA: JsonObject = section(
  'The events that Claude Code receives as messages in its session, if it starts the gateway over stdio.',
  {
    subscriptions: {
      type: 'array',
      minItems: 1,
      description: 'The events.',
      items: section(
        'Events that the host receives.',
        {
          event: text('The name of the event type, as the gateway lists it. `*` stands for any characters.', { minLength: 1 }),
          arguments: { type: 'object', description: 'The arguments of the subscription. Default: none.' },
        },
        { required: ['event'] },
      ),
    },
    maxPerMinute: count('The maximum number of messages in a minute. Further ones wait. Default: 30.', { minimum: 1 }),
    hosts: texts('The hosts, by the name that they give when they connect. Default: `claude-code`.'),
  },
  { required: ['subscriptions'] },
)

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
      'The address. An address other than loopback requires `auth`, or `allowedHosts` and the option `--insecure-no-auth`. Default: 127.0.0.1.',
    ),
    path: text('The path of the endpoint. With `auth`, it must be the path of `resource`. Default: /mcp.', { pattern: '^/' }),
    allowedHosts: texts('The host names that the `Host` header may contain. Default: the loopback names.'),
    allowedOrigins: texts('The origins of web pages that may call the gateway. Default: pages on the allowed hosts.'),
    legacy: choice(
      'How clients of older protocol versions are served over HTTP: with sessions, without sessions, or not at all. Default: `sessions`.',
      ['sessions', 'stateless', 'off'],
    ),
    card: flag(
      'Serves a server card of the gateway, and a catalog that also lists its servers, each at the path `/mcp/servers/NAME`. Only servers that callers without authorization may know are listed. Default: false.',
    ),
    drainTimeoutMs: count('How long the gateway waits for running calls when it stops, in milliseconds. Default: 10000.'),
    shutdownDelayMs: count(
      'How long the gateway keeps serving after a signal, while `/readyz` responds with 503, in milliseconds. Default: 0.',
    ),
  }),
  auth: section(
    'Who may call the gateway. Default: everyone who can reach its address, which must then be a loopback address.',
    {
      resource: text('The URL that clients use for the gateway. Access tokens must be issued for this URL.'),
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
  instructions: text('Instructions for the model. The instructions of the servers follow.'),
  names: section('How the names of tools and prompts are made unique.', {
    mode: choice(
      '`always`: every name gets a prefix (`server__name`). `on-conflict`: only names that are not unique get one. `never`: of several tools with the same name, only that of the first server is listed. Default: `always`.',
      ['always', 'on-conflict', 'never'],
    ),
    maxLength: count('The maximum length of a name; longer ones end in a hash. Default: 60.', { minimum: 32, maximum: 128 }),
    dots: flag('Allows dots in names, which some models do not accept. Default: false.'),
  }),
  servers: record('Settings of each server, by its name.', SERVER_SCHEMA),
  eventWebhook: section('Where servers deliver events, for those with `servers.NAME.eventWebhook`.', {
    url: text(
      'The public https URL. The gateway serves its path next to the endpoint; only an address of this machine may have http. Default: `/mcp-events` at the origin of `auth.resource`.',
    ),
  }),
  search: SEARCH_SCHEMA,
  channel: CHANNEL_SCHEMA,
  sets: SETS_SCHEMA,
  accounts: ACCOUNTS_SCHEMA,
  store: text(
    'Where to keep state, so that it survives restarts and several processes can share it: `sqlite:FILE`, `redis://HOST:PORT` or `postgres://HOST/DATABASE`. Default: in memory.',
  ),
  sealingKeys: texts(
    'Keys that encrypt request states, cursors and the tokens of users. The first one encrypts, all decrypt. Default: a key in the store.',
  ),
  start: choice(
    'When programs start. `now`: with the gateway, so that its first lists are complete soon. `on-demand`: when they are first needed. Default: `now`. Programs of a gateway with `auth` start on demand.',
    ['now', 'on-demand'],
  ),
  keepLists: flag(
    'Whether the lists that servers offered last are kept for 30 days, and offered while a server starts or is away: in `store`, or in your home directory if the gateway has a single user. Default: true.',
  ),
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
