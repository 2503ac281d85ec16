/** The functions that take options, each with a call that is valid. */
import { createServer } from 'portcall'
import { aiTools } from 'portcall/ai'
import { anthropicTools } from 'portcall/anthropic'
import { createHostBridge, sandboxHandler, sandboxPage, showApp } from 'portcall/apps/host'
import { buildView, view } from 'portcall/apps/server'
import { checkView, servePreview, testHost } from 'portcall/apps/testing'
import {
  authorizationCode,
  bearerToken,
  browserSignIn,
  clientCredentials,
  createAuthProvider,
  deviceCode,
  enterpriseManaged,
  workloadIdentity,
} from 'portcall/auth/client'
import { oauthProxy } from 'portcall/auth/proxy'
import { apiKeys, introspection, jwt, protect } from 'portcall/auth/server'
import { discoverServers } from 'portcall/cards'
import { connect, connectAll, readConfig } from 'portcall/client'
import { codeMode, mount, toolSearch, versions } from 'portcall/compose'
import { lint } from 'portcall/diagnostics'
import { createEventSender, events } from 'portcall/events'
import { checkSignature, events as clientEvents, eventWebhook } from 'portcall/events/client'
import {
  accessRules,
  auditPolicy,
  bridge,
  browserLogin,
  callLimits,
  claudeChannel,
  createApprovalQueue,
  createGateway,
  definitionPins,
  narrowViews,
  readGatewayConfig,
  serverPaths,
  toolSets,
  userAccounts,
} from 'portcall/gateway'
import { httpHandler } from 'portcall/http'
import { inspectorHandler, serveInspector } from 'portcall/inspector'
import { langchainTools } from 'portcall/langchain'
import { logging } from 'portcall/logging'
import { metrics } from 'portcall/metrics'
import {
  auditLog,
  byAddress,
  concurrencyLimit,
  createStoredAuditLog,
  idempotency,
  rateLimit,
  redactResults,
  redactSecrets,
  resultCache,
  resultSizeLimit,
  retry,
  timeLimit,
} from 'portcall/middleware'
import { nodeHandler, serve } from 'portcall/node'
import { openaiTools } from 'portcall/openai'
import { fromOpenAPI } from 'portcall/openapi'
import { skills } from 'portcall/skills'
import { skills as clientSkills } from 'portcall/skills/client'
import { serveStdio } from 'portcall/stdio'
import { memoryStores } from 'portcall/stores'
import { postgresStores } from 'portcall/stores/postgres'
import { redisStores } from 'portcall/stores/redis'
import { sqliteStores } from 'portcall/stores/sqlite'
import { tasks } from 'portcall/tasks'
import { bullmq } from 'portcall/tasks/bullmq'
import { pgBoss } from 'portcall/tasks/pg-boss'
import { clientTelemetry, gatewayTelemetry, serverTelemetry, taskTelemetry } from 'portcall/telemetry'

type Options = Readonly<Record<string, unknown>>

/** A function that takes options. */
export interface Factory {
  readonly name: string
  /** Calls the function. Only what it checks before it does anything is called. */
  create(options: never): unknown
  /** Options without which it cannot be called. */
  readonly valid?: Options
  /** Options that are numbers, callbacks, and of other kinds; and members of options. */
  readonly numbers?: readonly string[]
  /** Set if there may be options that it does not know. */
  readonly isOpen?: boolean
  readonly callbacks?: readonly string[]
  readonly members?: { readonly [member: string]: readonly string[] }
}

const server = createServer({ name: 'weather', version: '1.0.0' })
const other = createServer({ name: 'other', version: '1.0.0' })
const client = { clientId: 'app', clientSecret: 'secret', issuer: 'https://login.example.com' }
const redisClient = { duplicate() {}, on() {} }
class Queue {}

/** A view that could not be shown. */
const VIEW = { failure: { code: 'VIEW_UNREADABLE', message: '' }, violations: [], events: [], consoleErrors: [] } as never
const TOOLS = { tools: () => ({ toArray: async () => [] }), callTool: async () => ({ content: [] }) }
const CONFIG = '{"mcpServers":{}}'
const DISCOVERED = { supportedVersions: [], capabilities: {}, ttlMs: 0, cacheScope: 'private' as const }
const INVENTORY = { discovered: DISCOVERED, tools: [], resources: [], templates: [], prompts: [] }
const AGENT_CALLBACKS = ['filter', 'approve', 'onProgress', 'onUnsupported']
const HOST_CALLBACKS = [
  ...['onOpenLink', 'onMessage', 'onModelContext', 'onDownload', 'onDisplayMode', 'onSample', 'onLog', 'approve', 'onEvent'],
  'onCloseRequest',
]
const GRANT_NUMBERS = ['storeTimeoutMs', 'refreshAheadMs', 'maxStepUps']
const STORE_MEMBERS = {
  store: ['maxEntries', 'maxTtlMs'],
  log: ['maxEntries', 'maxBytes', 'entryTtlMs'],
  bus: ['maxSubscriptions'],
}

export const FACTORIES: readonly Factory[] = [
  { name: 'inspectorHandler', create: (options) => inspectorHandler(server, options), numbers: ['graceMs'] },
  {
    name: 'serveInspector',
    create: (options) => serveInspector(options),
    valid: { info: { name: 'inspector', version: '1.0.0' } },
    numbers: ['port', 'graceMs'],
    callbacks: ['writeHostEntry'],
  },
  { name: 'view', create: (options) => view({ html: '<p>Chart</p>' }, options) },
  {
    name: 'createEventSender',
    create: (options) => createEventSender(options),
    numbers: ['timeoutMs'],
    callbacks: ['fetch', 'now'],
  },
  {
    name: 'checkSignature',
    create: (options) => checkSignature({ id: null, timestamp: null, signature: null }, '', options),
    valid: { secrets: [] },
    callbacks: ['now'],
  },
  { name: 'events', create: (options) => clientEvents(options), numbers: ['minPollDelayMs', 'silenceTimeoutMs'] },
  {
    name: 'eventWebhook',
    create: (options) => eventWebhook(options),
    numbers: ['seenTtlMs', 'maxBodyBytes', 'bodyTimeoutMs'],
    callbacks: ['onEvent', 'onGap', 'onTerminated', 'onError', 'now'],
  },
  { name: 'buildView', create: (options) => buildView('/chart.html', options), numbers: ['maxAssetBytes'] },
  { name: 'lint', create: (options) => lint(INVENTORY, options) },
  {
    name: 'createHostBridge',
    create: (options) => createHostBridge(options),
    valid: { post() {} },
    numbers: ['teardownTimeoutMs'],
    callbacks: HOST_CALLBACKS,
  },
  {
    name: 'showApp',
    create: (options) => showApp(options),
    valid: { element: {}, sandbox: 'https://views.example.com', client: TOOLS, tool: 'chart' },
    numbers: ['handshakeTimeoutMs', 'teardownTimeoutMs'],
    callbacks: [...HOST_CALLBACKS, 'grant'],
  },
  { name: 'sandboxHandler', create: (options) => sandboxHandler(options), valid: { hosts: ['https://chat.example.com'] } },
  { name: 'sandboxPage', create: (options) => sandboxPage(options), valid: { hosts: ['https://chat.example.com'] } },
  { name: 'testHost', create: (options) => testHost(options) },
  { name: 'checkView', create: (options) => checkView(VIEW, options), numbers: ['maxReadyMs', 'maxPaintMs'] },
  { name: 'servePreview', create: (options) => servePreview(options), valid: { server: 'http://127.0.0.1:1/mcp' } },
  { name: 'narrowViews', create: (options) => narrowViews(options) },
  {
    name: 'createServer',
    create: (options) => createServer({ name: 'weather', version: '1.0.0' }, options),
    numbers: ['pageSize'],
    callbacks: ['onEvent'],
    members: { limits: ['toolTimeoutMs', 'maxResourceBytes', 'requestStateTtlMs', 'maxRoundTrips', 'storeTimeoutMs'] },
  },
  {
    name: 'connect',
    create: (options) => connect('http://127.0.0.1:1/mcp', options),
    numbers: ['maxRoundTrips', 'maxPages', 'probeTimeoutMs', 'connectTimeoutMs'],
    callbacks: ['onEvent', 'onStderr', 'elicit', 'sample'],
    members: { timeouts: ['requestTimeoutMs', 'totalTimeoutMs'] },
  },
  {
    name: 'discoverServers',
    create: (options) => discoverServers('localhost:1', options),
    numbers: ['maxBytes', 'documentTimeoutMs'],
  },
  { name: 'connectAll', create: (options) => connectAll({ mcpServers: {} }, options), numbers: ['connectTimeoutMs'] },
  {
    name: 'serve',
    create: (options) => serve(server, options),
    numbers: ['drainTimeoutMs', 'maxSessions'],
    callbacks: ['onError'],
  },
  { name: 'nodeHandler', create: (options) => nodeHandler(server, options), numbers: ['maxSessions', 'maxBodyBytes'] },
  { name: 'httpHandler', create: (options) => httpHandler(server, options), numbers: ['maxSessions', 'maxBodyBytes'] },
  { name: 'serveStdio', create: (options) => serveStdio(server, options), numbers: ['maxMessageBytes', 'drainTimeoutMs'] },
  {
    name: 'createGateway',
    create: (options) => createGateway(options),
    valid: { servers: {} },
    numbers: ['pageSize', 'requestStateTtlMs'],
    callbacks: ['onEvent', 'credentials'],
    members: { names: ['maxLength'] },
  },
  { name: 'bridge', create: (options) => bridge('http://127.0.0.1:1/mcp', options), numbers: ['listTimeoutMs', 'maxRequests'] },
  {
    name: 'protect',
    create: (options) => protect(options),
    valid: { resource: 'https://api.example.com/mcp', verify: apiKeys(() => undefined) },
    numbers: ['clockToleranceMs'],
    callbacks: ['now'],
  },
  {
    name: 'jwt',
    create: (options) => jwt(options),
    valid: { issuer: 'https://login.example.com', jwksUri: 'https://login.example.com/jwks' },
    numbers: ['clockToleranceMs', 'jwksCacheTtlMs', 'jwksCooldownDelayMs'],
    callbacks: ['now', 'fetch'],
  },
  {
    name: 'introspection',
    create: (options) => introspection(options),
    valid: {
      endpoint: 'https://login.example.com/introspect',
      issuer: 'https://login.example.com',
      clientId: 'api',
      clientSecret: 'secret',
    },
    numbers: ['cacheTtlMs'],
    callbacks: ['now', 'fetch'],
  },
  {
    name: 'oauthProxy',
    create: (options) => oauthProxy(options),
    valid: {
      resource: 'https://api.example.com/mcp',
      upstream: {
        authorizationEndpoint: 'https://login.example.com/authorize',
        tokenEndpoint: 'https://login.example.com/token',
        clientId: 'api',
      },
      identify: () => ({ subject: 'ada' }),
    },
    numbers: ['accessTokenTtlMs', 'grantTtlMs', 'signInTtlMs', 'codeTtlMs', 'clientTtlMs'],
    callbacks: ['identify', 'now'],
    members: { metadataDocuments: ['maxHostFetches'] },
  },
  {
    name: 'authorizationCode',
    create: (options) => authorizationCode(options),
    valid: { redirectUri: 'https://app.example.com/callback', authorize: async () => undefined },
    numbers: [...GRANT_NUMBERS, 'signInTtlMs'],
    callbacks: ['authorize', 'fetch'],
  },
  {
    name: 'browserSignIn',
    create: (options) => browserSignIn(options),
    numbers: [...GRANT_NUMBERS, 'timeoutMs'],
    callbacks: ['open', 'fetch'],
  },
  {
    name: 'deviceCode',
    create: (options) => deviceCode(options),
    valid: { prompt() {} },
    numbers: GRANT_NUMBERS,
    callbacks: ['prompt'],
  },
  { name: 'clientCredentials', create: (options) => clientCredentials(options), valid: { client }, numbers: GRANT_NUMBERS },
  {
    name: 'enterpriseManaged',
    create: (options) => enterpriseManaged(options),
    valid: { client, identityProvider: { issuer: 'https://sso.example.com', client }, subject: () => 'token' },
    numbers: GRANT_NUMBERS,
    callbacks: ['subject'],
  },
  {
    name: 'workloadIdentity',
    create: (options) => workloadIdentity(options),
    valid: { assertion: () => 'token' },
    numbers: GRANT_NUMBERS,
    callbacks: ['assertion'],
  },
  { name: 'bearerToken', create: (options) => bearerToken(() => 'token', options) },
  {
    name: 'rateLimit',
    create: (options) => rateLimit(options),
    valid: { limit: 5 },
    numbers: ['limit', 'intervalMs'],
    callbacks: ['key'],
  },
  {
    name: 'concurrencyLimit',
    create: (options) => concurrencyLimit(options),
    valid: { limit: 5 },
    numbers: ['limit', 'maxQueued', 'queueTimeoutMs'],
    callbacks: ['key'],
  },
  {
    name: 'timeLimit',
    create: (options) => timeLimit(options),
    valid: { timeoutMs: 5 },
    numbers: ['timeoutMs'],
    callbacks: ['key'],
  },
  {
    name: 'resultSizeLimit',
    create: (options) => resultSizeLimit(options),
    valid: { maxBytes: 5 },
    numbers: ['maxBytes', 'linkTtlMs'],
    callbacks: ['key'],
  },
  { name: 'resultCache', create: (options) => resultCache(options), valid: { ttlMs: 5 }, numbers: ['ttlMs'], callbacks: ['key'] },
  {
    name: 'idempotency',
    create: (options) => idempotency(options),
    numbers: ['ttlMs', 'maxReceipts', 'maxResponseBytes', 'leaseTtlMs'],
    callbacks: ['key'],
  },
  {
    name: 'retry',
    create: (options) => retry(options),
    numbers: ['maxAttempts', 'firstDelayMs', 'maxDelayMs'],
    callbacks: ['isIdempotent'],
  },
  {
    name: 'auditLog',
    create: (options) => auditLog(options),
    valid: { to: async () => {} },
    callbacks: ['details', 'redact', 'onError', 'arguments'],
  },
  {
    name: 'codeMode',
    create: (options) => codeMode(options),
    members: { limits: ['timeoutMs', 'cpuTimeMs', 'memoryBytes', 'maxCalls', 'maxOutputBytes', 'maxPrograms'], names: [] },
  },
  { name: 'toolSearch', create: (options) => toolSearch(options), numbers: ['limit'], members: { names: [] } },
  {
    name: 'memoryStores',
    create: (options) => memoryStores(options),
    callbacks: ['now'],
    members: { ...STORE_MEMBERS, log: ['maxTotalBytes', 'maxLogs'] },
  },
  {
    name: 'redisStores',
    create: (options) => redisStores(redisClient as never, options),
    numbers: ['timeoutMs'],
    members: STORE_MEMBERS,
  },
  {
    name: 'postgresStores',
    create: (options) => postgresStores({ totalCount: 0, connect() {}, on() {} } as never, options),
    numbers: ['timeoutMs'],
    members: STORE_MEMBERS,
  },
  {
    name: 'sqliteStores',
    create: (options) => sqliteStores(':memory:', options),
    numbers: ['busyTimeoutMs'],
    callbacks: ['now'],
    members: { ...STORE_MEMBERS, bus: ['pollIntervalMs', 'messageTtlMs', 'maxBytes'] },
  },
  {
    name: 'events',
    create: (options) => events(options),
    callbacks: ['now'],
    members: { limits: ['maxEventBytes', 'maxStreams', 'pollIntervalMs', 'heartbeatIntervalMs'], profile: [], webhooks: [] },
  },
  {
    name: 'tasks',
    create: (options) => tasks(options),
    callbacks: ['now'],
    members: { limits: ['ttlMs', 'maxTtlMs', 'storeTimeoutMs', 'leaseTtlMs'] },
  },
  {
    name: 'bullmq',
    create: (options) => bullmq(options),
    valid: { Queue, Worker: Queue, connection: {} },
    numbers: ['lockTtlMs', 'timeoutMs'],
    callbacks: ['Queue', 'Worker'],
  },
  {
    name: 'pgBoss',
    create: (options) => pgBoss({ send() {} } as never, options),
    numbers: ['pollIntervalMs', 'visibilityTimeoutMs', 'timeoutMs'],
  },
  {
    name: 'mount',
    create: (options) => mount(server, other, options),
    numbers: ['listTimeoutMs', 'maxRequests'],
    members: { tools: [], resources: [] },
  },
  { name: 'versions', create: (options) => versions(options), callbacks: ['select'] },
  {
    name: 'accessRules',
    create: (options) => accessRules(options),
    valid: { default: 'allow', rules: [] },
    callbacks: ['onReport'],
  },
  { name: 'auditPolicy', create: (options) => auditPolicy(options), valid: { to: async () => {} }, callbacks: ['onError'] },
  {
    name: 'createApprovalQueue',
    create: (options) => createApprovalQueue(options),
    numbers: ['ttlMs', 'maxQueued', 'maxPrincipalQueued'],
    callbacks: ['onQueued'],
  },
  {
    name: 'definitionPins',
    create: (options) => definitionPins(options),
    valid: { lock: 'portcall.lock' },
    callbacks: ['onChange', 'onError', 'onReport'],
  },
  { name: 'callLimits', create: (options) => callLimits(options), valid: { limits: [] } },
  {
    name: 'claudeChannel',
    create: (options) => claudeChannel(options),
    valid: { subscriptions: [] },
    numbers: ['maxPerMinute'],
    callbacks: ['onError'],
  },
  { name: 'serverPaths', create: (options) => serverPaths(options), valid: { servers: [] } },
  { name: 'toolSets', create: (options) => toolSets(options), valid: { sets: {} } },
  {
    name: 'browserLogin',
    create: (options) => browserLogin(options),
    valid: {
      origin: 'https://gateway.example.com',
      issuer: 'https://login.example.com',
      resource: 'https://gateway.example.com/mcp',
      authenticate: () => undefined,
    },
    numbers: ['sessionTtlMs'],
    callbacks: ['authenticate', 'onFailure'],
  },
  { name: 'metrics', create: (options) => metrics(options) },
  { name: 'clientTelemetry', create: (options) => clientTelemetry(options), callbacks: ['redact', 'attributes'] },
  { name: 'gatewayTelemetry', create: (options) => gatewayTelemetry(options), callbacks: ['redact', 'attributes'] },
  { name: 'serverTelemetry', create: (options) => serverTelemetry(options), callbacks: ['redact', 'attributes'] },
  { name: 'taskTelemetry', create: (options) => taskTelemetry(options), callbacks: ['redact', 'attributes'] },
  { name: 'logging', create: (options) => logging(options), valid: { logger: console }, callbacks: ['redact'] },
  { name: 'byAddress', create: (options) => byAddress(options), numbers: [] },
  { name: 'createStoredAuditLog', create: (options) => createStoredAuditLog(memoryStores().store, options) },
  { name: 'redactResults', create: (options) => redactResults(options) },
  { name: 'redactSecrets', create: (options) => redactSecrets(options), numbers: ['maxTextLength'] },
  { name: 'skills', create: (options) => skills(options), numbers: ['maxFiles', 'maxBytes'] },
  { name: 'skills', create: (options) => clientSkills(options), numbers: ['maxFiles', 'maxBytes'] },
  {
    name: 'fromOpenAPI',
    create: (options) =>
      fromOpenAPI({ openapi: '3.1.0', info: { title: 'a', version: '1' }, paths: { '/': { get: {} } } }, options),
    numbers: ['timeoutMs', 'maxResponseBytes', 'maxResultChars'],
    callbacks: ['customize', 'fetch'],
  },
  { name: 'readConfig', create: (options) => readConfig(CONFIG, options), callbacks: ['onVariable'] },
  { name: 'readGatewayConfig', create: (options) => readGatewayConfig(CONFIG, options), callbacks: ['onVariable'] },
  {
    name: 'userAccounts',
    create: (options) => userAccounts(options),
    valid: { origin: 'https://gateway.example.com', servers: {}, identify: () => undefined },
    numbers: ['signInTtlMs', 'waitTimeoutMs'],
    callbacks: ['onConnected'],
  },
  { name: 'aiTools', create: (options) => aiTools(TOOLS, options), callbacks: AGENT_CALLBACKS },
  { name: 'anthropicTools', create: (options) => anthropicTools(TOOLS, options), callbacks: AGENT_CALLBACKS },
  { name: 'openaiTools', create: (options) => openaiTools(TOOLS, options), callbacks: AGENT_CALLBACKS },
  {
    name: 'langchainTools',
    create: (options) => langchainTools(TOOLS, options),
    valid: { tool: () => ({}) },
    callbacks: ['tool', ...AGENT_CALLBACKS],
  },
  {
    name: 'createAuthProvider',
    create: (options) =>
      createAuthProvider({ name: 'grant', client: async () => undefined, obtain: async () => ({}) } as never, options),
    numbers: GRANT_NUMBERS,
    isOpen: true,
  },
]

/** The functions of the API reports that are not in the table, with the reason. */
export const EXEMPT: { readonly [name: string]: string } = {
  connectApp: 'for pages, whose library has to be small: TypeScript checks them',
  compileSchema: 'internal options, which the package passes itself',
  createChannelExchange: 'for transports of other packages, in TypeScript',
  createSafeFetch: 'for grants of other packages, in TypeScript',
  serveChannel: 'for transports of other packages, in TypeScript',
  typeOfSchema: 'two bounds, which are clamped',
  aiSampling: 'its model is checked by the SDK',
  anthropicSampling: 'its client is checked by the SDK',
  openaiSampling: 'its client is checked by the SDK',
  acceptPins: 'for the command',
  callerIdentity: 'its options are those of createAuthProvider, which checks them',
  pinOptionsOf: 'for the command',
  gatewayPolicies: 'checked by the schema of the configuration',
  createServerJson: 'its options are those of an endpoint; the document that they make is checked',
  serverJsonOf: 'the document is checked',
  gatewayEntries: 'takes a gateway',
  toolSet: 'its members are checked one by one, as in a configuration',
  serveAdmin: 'for the command',
  sizeTelemetry: 'one provider, which OpenTelemetry checks',
}

/** The entry points for tests and diagnostics, whose functions are called by people who see the types. */
export const EXEMPT_REPORTS: readonly string[] = ['testing', 'diagnostics']
