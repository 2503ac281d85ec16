import { ErrorCode, RpcError } from '../jsonrpc/errors.ts'
import type { ExchangeContext } from '../jsonrpc/exchange.ts'
import { isObject, isSuccess, type JsonObject, type Request, type Response, success } from '../jsonrpc/message.ts'
import { missingClientCapability } from '../protocol/errors.ts'
import { METHODS } from '../protocol/methods.ts'
import type { ClientCapabilities } from '../protocol/types.ts'

/**
 * One legacy revision refuses a call until the user has visited some pages (-32042). Here that becomes a question of the newest revision;
 * when the call is repeated and the server still waits for pages that the user agreed to visit, it is asked again until it does not.
 */
export interface Visits {
  /** The answer to a call that is repeated although the user did not agree to the visits. */
  refusal(request: Request): Response | undefined
  /** Goes on from an answer that wants visits: to the question, or to the answer that comes once the server has seen them. */
  arrange(response: Response, call: VisitingCall): Promise<Response>
  /** The server says that a visit is over. */
  completed(elicitationId: unknown): void
}

/** A call, and how it is sent once more. */
export interface VisitingCall {
  readonly request: Request
  readonly context: Pick<ExchangeContext, 'signal'>
  readonly send: () => Promise<Response>
}

interface Page {
  readonly id: string
  readonly url: string
  readonly message: unknown
}

const VISIT_FIRST = -32042
const FIRST_WAIT_MS = 1000
const LONGEST_WAIT_MS = 30_000
const NOT_VISITED = 'This needs the user to visit a page, and the user did not agree to that.'

export function createVisits({ elicitation }: ClientCapabilities): Visits {
  const wakers = new Map<string, () => void>()

  const pause = async (pages: readonly Page[], ms: number, signal: AbortSignal): Promise<void> => {
    const { promise, resolve } = createGate()
    const timer = setTimeout(resolve, ms)
    for (const { id } of pages) wakers.set(id, resolve)
    signal.addEventListener('abort', resolve, { once: true })
    await promise
    clearTimeout(timer)
    for (const { id } of pages) wakers.delete(id)
    signal.removeEventListener('abort', resolve)
    signal.throwIfAborted()
  }

  return {
    refusal({ id, method, params = {} }) {
      const isRepeated = params.requestState !== undefined && readState(params.requestState).length > 0
      return isRepeated && !allAccepted(params.inputResponses) ? notVisited(id, method) : undefined
    },
    async arrange(first, { request, context, send }) {
      const visited = readState(request.params?.requestState)
      let response = first
      for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
        const pages = pagesOf(response)
        if (pages.length === 0) return response
        if (!elicitation?.url) return missingClientCapability({ elicitation: { url: {} } }).response(request.id)
        const fresh = pages.filter(({ url }) => !visited.includes(url))
        if (fresh.length > 0) return success(request.id, questionOf(fresh, visited))
        await pause(pages, waitMs, context.signal)
        response = await send()
      }
    },
    completed: (elicitationId) => wakers.get(elicitationId as string)?.(),
  }
}

/** Whether an answer says that pages have to be visited first. */
export function wantsVisits(method: string, response: Response): boolean {
  return !isSuccess(response) && response.error.code === VISIT_FIRST && METHODS.get(method)?.mayAsk === true
}

function pagesOf(response: Response): Page[] {
  if (isSuccess(response) || response.error.code !== VISIT_FIRST || !isObject(response.error.data)) return []
  const { elicitations } = response.error.data
  const list: unknown[] = Array.isArray(elicitations) ? elicitations : []
  return list.flatMap((one, at) => {
    if (!isObject(one) || typeof one.url !== 'string') return []
    return {
      id: typeof one.elicitationId === 'string' ? one.elicitationId : `visit-${at}`,
      url: one.url,
      message: one.message ?? response.error.message,
    }
  })
}

/** What the user has agreed to visit travels with the call, as all state of the newest revision does. */
function questionOf(pages: readonly Page[], visited: readonly unknown[]): JsonObject {
  const asks = pages.map(({ id, url, message }) => [id, { method: 'elicitation/create', params: { mode: 'url', message, url } }])
  const requestState = JSON.stringify([...visited, ...pages.map(({ url }) => url)])
  return { resultType: 'input_required', inputRequests: Object.fromEntries(asks) as JsonObject, requestState }
}

function readState(state: unknown): readonly unknown[] {
  if (typeof state !== 'string') return []
  try {
    const urls = JSON.parse(state) as unknown
    return Array.isArray(urls) ? urls : []
  } catch {
    return []
  }
}

function allAccepted(responses: unknown): boolean {
  return isObject(responses) && Object.values(responses).every((answer) => isObject(answer) && answer.action === 'accept')
}

function notVisited(id: Request['id'], method: string): Response {
  if (method !== 'tools/call') return new RpcError(ErrorCode.internalError, NOT_VISITED).response(id)
  return success(id, { resultType: 'complete', content: [{ type: 'text', text: NOT_VISITED }], isError: true })
}

function createGate(): { promise: Promise<void>; resolve: () => void } {
  let resolve!: () => void
  const promise = new Promise<void>((open) => {
    resolve = open
  })
  return { promise, resolve }
}
