import { checkOptions, type OptionNames } from '../util/check-options.ts'
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
