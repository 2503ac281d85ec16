import { checkOptions, type OptionNames } from '../../../util/src/check-options.ts'
import { describe } from '../../../util/src/describe.ts'
import { type CacheOptions, CLIENT_TIMEOUTS } from '../client/options.ts'
import type { OutputValidation } from '../client/output-validation.ts'
import { HTTP_CLIENT_LIMITS } from '../transports/http/client/limits.ts'
import type { ConnectOptions, DiscoverySettings } from './options.ts'

type ConnectionOption =
  | 'era'
  | 'protocolVersion'
  | 'probeTimeoutMs'
  | 'connectTimeoutMs'
  | 'headers'
  | 'auth'
  | 'fetch'
  | 'proxy'
  | 'http'

/** The options of one connection, which `connect` and gateways share. */
export const CONNECTION_OPTION_NAMES: Pick<OptionNames<ConnectOptions>, ConnectionOption> = {
  era: ['modern', 'legacy', 'http+sse'],
  protocolVersion: 'text',
  probeTimeoutMs: 1,
  connectTimeoutMs: 1,
  headers: 'headers',
  auth: 'auth',
  fetch: 1,
  proxy: 1,
  http: 'object',
}
const NAMES: OptionNames<ConnectOptions> = {
  ...CONNECTION_OPTION_NAMES,
  info: 'object',
  extensions: 'array',
  capabilities: 'object',
  timeouts: 'object',
  methodTimeouts: 'object',
  maxRoundTrips: 1,
  maxPages: 1,
  outputValidation: 1,
  cache: 1,
  logLevel: 1,
  middleware: 'functions',
  inputMiddleware: 'functions',
  onEvent: 1,
  logger: 'logger',
  elicit: 'function',
  elicitUrl: 'function',
  sample: 'function',
  roots: 'array or function',
  onEraDetected: 1,
  signal: 1,
  restart: 'boolean',
  onStderr: 1,
  wire: 1,
  discovery: 1,
}
const DISCOVERY: OptionNames<DiscoverySettings> = { confirm: 'function', allow: 'array' }
const CACHE: OptionNames<CacheOptions> = { store: 'store', storeTimeoutMs: 1, partition: 'text', staleIfErrorTtlMs: 1 }
const MODES: readonly OutputValidation[] = ['report', 'strict', 'off']
const AUTH = 'Pass auth: bearerToken(() => token), with bearerToken from portcall/auth/client'
const TIMEOUT = 'Pass timeouts: { requestTimeoutMs }'
const ADVICE = {
  token: AUTH,
  apiKey: AUTH,
  timeout: TIMEOUT,
  requestTimeoutMs: TIMEOUT,
  name: 'Pass info: { name, version }',
  elicitation: 'Pass a function as "elicit"',
  sampling: 'Pass a function as "sample"',
}

/** Checks the options of `connect`, or of the function that `where` names, since JavaScript passes anything. @throws TypeError. */
export function checkConnectOptions(options: ConnectOptions, where = 'connect()'): void {
  checkOptions(where, options, { names: NAMES, advice: ADVICE })
  checkOptions(`${where}: timeouts`, options.timeouts ?? {}, { names: CLIENT_TIMEOUTS })
  checkOptions(`${where}: http`, options.http ?? {}, { names: HTTP_CLIENT_LIMITS })
  if (options.discovery) checkOptions(`${where}: discovery`, options.discovery, { names: DISCOVERY })
  if (options.cache) checkOptions(`${where}: cache`, options.cache, { names: CACHE })
  for (const [method, timeouts] of Object.entries(options.methodTimeouts ?? {}))
    checkOptions(`${where}: methodTimeouts[${JSON.stringify(method)}]`, timeouts, { names: CLIENT_TIMEOUTS })
  const { outputValidation } = options
  if (outputValidation !== undefined && !MODES.includes(outputValidation))
    throw new TypeError(`${where}: outputValidation must be one of ${MODES.join(', ')}, not ${describe(outputValidation)}`)
}
