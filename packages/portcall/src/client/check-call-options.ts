import { checkOptions, type OptionNames } from '../../../util/src/check-options.ts'
import type { SubscriptionFilter } from '../protocol/types.ts'
import { CLIENT_TIMEOUTS, type RequestOptions } from './options.ts'

const NAMES: OptionNames<RequestOptions> = { signal: 1, onProgress: 1, timeouts: 1, headers: 1, meta: 1, onNotification: 1 }
const TIMEOUT = 'Pass timeouts: { requestTimeoutMs }'
const TOTAL = 'Pass timeouts: { totalTimeoutMs }'
const ADVICE = {
  timeout: TIMEOUT,
  timeoutMs: TIMEOUT,
  requestTimeoutMs: TIMEOUT,
  maxTotalTimeout: TOTAL,
  totalTimeoutMs: TOTAL,
  onprogress: 'Pass a function as "onProgress"',
  _meta: 'Pass it as "meta"',
}

/** Checks the options of one call. Methods have options of their own, so only names that look misspelled are refused. @throws TypeError. */
export function checkCallOptions(method: string, options: RequestOptions): void {
  checkOptions(`${method}: options`, options, { names: NAMES, advice: ADVICE, isOpen: true })
  if (options.timeouts) checkOptions(`${method}: timeouts`, options.timeouts, { names: CLIENT_TIMEOUTS })
}

/** The members of a filter; extensions add others. */
const FILTER = {
  toolsListChanged: 'boolean',
  promptsListChanged: 'boolean',
  resourcesListChanged: 'boolean',
  resourceSubscriptions: 'texts',
}
const FILTER_ADVICE = {
  tools: 'Use "toolsListChanged"',
  prompts: 'Use "promptsListChanged"',
  resources: 'Use "resourceSubscriptions" for URIs, or "resourcesListChanged" for the list',
  uris: 'Use "resourceSubscriptions"',
  uri: 'Use "resourceSubscriptions"',
}

/** Returns the filter of `listen`. @throws TypeError for a member that no server knows, which would wait for ever. */
export function checkFilter(filter: SubscriptionFilter): SubscriptionFilter {
  checkOptions('listen(filter)', filter, { names: FILTER, advice: FILTER_ADVICE, isOpen: true })
  return filter
}

const MIDDLEWARE = { middleware: 'function' }
const MIDDLEWARE_REQUIRED = { middleware: 'Pass (request, context, next) => next(request, context)' }

/** Checks the argument of `client.use`. @throws TypeError. */
export function checkClientMiddleware(middleware: unknown): void {
  checkOptions('client.use()', { middleware }, { names: MIDDLEWARE, required: MIDDLEWARE_REQUIRED })
}
