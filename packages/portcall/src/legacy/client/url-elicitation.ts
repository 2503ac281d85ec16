import { parseJson } from '../../../../util/src/parse-json.ts'
import { delay } from '../../../../util/src/timers.ts'
import { ErrorCode, RpcError } from '../../jsonrpc/errors.ts'
import type { ExchangeContext } from '../../jsonrpc/exchange.ts'
import { isObject, isSuccess, type JsonObject, type Request, type Response, success } from '../../jsonrpc/message.ts'
import { readClientCapabilities } from '../../protocol/capabilities.ts'
import { missingClientCapability } from '../../protocol/errors.ts'
import { MetaKey } from '../../protocol/meta.ts'
import { METHODS } from '../../protocol/methods.ts'
import type { ClientCapabilities } from '../../protocol/types.ts'
import type { OnInputRequest } from './input-requests.ts'

/**
 * The error -32042 (URLElicitationRequired) of one legacy revision, as input requests of the newest revision. After the user has agreed to
 * open the URLs, the call is repeated until the server no longer requires them.
 */
export interface UrlElicitations {
  /** Returns the response to a call that was repeated although the user declined to open a URL. */
  rejectDeclined(request: Request): Response | undefined
  /** Handles a response that requires URL elicitation. Returns the input requests, or the response once the server is satisfied. */
  complete(response: Response, call: ElicitingCall): Promise<Response>
  /** Handles `notifications/elicitation/complete`. */
  onComplete(elicitationId: unknown): void
}

/** A call, and how to send it again. */
export interface ElicitingCall {
  readonly request: Request
  readonly context: Pick<ExchangeContext, 'signal'>
  readonly send: () => Promise<Response>
}

interface UrlElicitation {
  readonly id: string
  readonly url: string
  readonly message: unknown
}

const URL_ELICITATION_REQUIRED = -32042
const FIRST_DELAY_MS = 1000
const MAX_DELAY_MS = 30_000
const DECLINED = 'This call requires the user to open a URL, and the user declined.'

export function createUrlElicitations({ elicitation }: ClientCapabilities, onInputRequest?: OnInputRequest): UrlElicitations {
  const waiting = new Map<string, AbortController>()

  /** Waits for `ms`, or until the server reports that one of the elicitations is complete. */
  const wait = async (elicitations: readonly UrlElicitation[], ms: number, signal: AbortSignal): Promise<void> => {
    const completed = new AbortController()
    for (const { id } of elicitations) waiting.set(id, completed)
    await delay(ms, signal, completed.signal).catch(() => {})
    for (const { id } of elicitations) waiting.delete(id)
    signal.throwIfAborted()
  }

  return {
    rejectDeclined({ id, method, params = {} }) {
      const isRepeated = params.requestState !== undefined && readAcceptedUrls(params.requestState).length > 0
      return isRepeated && !allAccepted(params.inputResponses) ? declinedResponse(id, method) : undefined
    },
    async complete(first, { request, context, send }) {
      const accepted = readAcceptedUrls(request.params?.requestState)
      let response = first
      for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(2 * delayMs, MAX_DELAY_MS)) {
        const elicitations = elicitationsOf(response)
        if (elicitations.length === 0) return response
        onInputRequest?.('elicitation/create', { mode: 'url' })
        if (!elicitation?.url || !canOpenUrls(request))
          return missingClientCapability({ elicitation: { url: {} } }).response(request.id)
        const added = elicitations.filter(({ url }) => !accepted.includes(url))
        if (added.length > 0) return success(request.id, inputRequired(added, accepted))
        await wait(elicitations, delayMs, context.signal)
        response = await send()
      }
    },
    onComplete: (elicitationId) => waiting.get(elicitationId as string)?.abort(),
  }
}

/** Reports whether the caller of a request can open URLs. A session may declare more than each of its callers. */
function canOpenUrls({ params }: Request): boolean {
  const declared = isObject(params?._meta) ? params._meta[MetaKey.clientCapabilities] : undefined
  return declared === undefined || readClientCapabilities(declared).elicitation?.url !== undefined
}

/** Reports whether a response requires the user to open URLs first. */
export function requiresUrlElicitation(method: string, response: Response): boolean {
  return !isSuccess(response) && response.error.code === URL_ELICITATION_REQUIRED && METHODS.get(method)?.mayRequireInput === true
}

function elicitationsOf(response: Response): UrlElicitation[] {
  if (isSuccess(response) || response.error.code !== URL_ELICITATION_REQUIRED || !isObject(response.error.data)) return []
  const { elicitations } = response.error.data
  const list: unknown[] = Array.isArray(elicitations) ? elicitations : []
  return list.flatMap((item, index) => {
    if (!isObject(item) || typeof item.url !== 'string') return []
    return {
      id: typeof item.elicitationId === 'string' ? item.elicitationId : `url-${index}`,
      url: item.url,
      message: item.message ?? response.error.message,
    }
  })
}

/** Returns an `input_required` result. The `requestState` lists the URLs that the user has accepted when the call is repeated. */
function inputRequired(elicitations: readonly UrlElicitation[], accepted: readonly unknown[]): JsonObject {
  const inputRequests: JsonObject = Object.fromEntries(
    elicitations.map(({ id, url, message }) => [id, { method: 'elicitation/create', params: { mode: 'url', message, url } }]),
  )
  const requestState = JSON.stringify([...accepted, ...elicitations.map(({ url }) => url)])
  return { resultType: 'input_required', inputRequests, requestState }
}

function readAcceptedUrls(requestState: unknown): readonly unknown[] {
  const urls = typeof requestState === 'string' ? parseJson(requestState) : undefined
  return Array.isArray(urls) ? urls : []
}

function allAccepted(responses: unknown): boolean {
  return isObject(responses) && Object.values(responses).every((response) => isObject(response) && response.action === 'accept')
}

function declinedResponse(id: Request['id'], method: string): Response {
  if (method !== 'tools/call') return new RpcError(ErrorCode.internalError, DECLINED).response(id)
  return success(id, { resultType: 'complete', content: [{ type: 'text', text: DECLINED }], isError: true })
}
