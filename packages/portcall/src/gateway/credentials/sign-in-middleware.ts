import { ErrorCode, RpcError } from '../../jsonrpc/errors.ts'
import type { ExchangeContext, Middleware } from '../../jsonrpc/exchange.ts'
import { isObject, isSuccess, type JsonObject, type Request, type Response, success } from '../../jsonrpc/message.ts'
import type { InputRequest } from '../../protocol/input-types.ts'
import { MetaKey } from '../../protocol/meta.ts'
import { UserInputRequiredError } from '../api/errors.ts'
import type { AccountId, AccountSignIn, AccountSignIns } from './sign-ins.ts'

/** The keys of input requests that ask users to sign in: with the id of the sign-in, and the name of the server. */
const KEY = /^sign-in:([\w-]+):(.*)$/s

export interface SignInMiddlewareOptions {
  readonly signIns: AccountSignIns
  readonly waitTimeoutMs: number
  /** Returns the account of the caller at a server. `undefined` if there is none. */
  readonly accountOf: (server: string, context: ExchangeContext) => AccountId | undefined
}

/** Asks the user to open a link. */
export function signInRequest({ server, id }: AccountSignIn, url: string): { readonly [key: string]: InputRequest } {
  const message = `Sign in to ${server} to continue.`
  return { [`sign-in:${id}:${server}`]: { method: 'elicitation/create', params: { mode: 'url', message, url } } }
}

/** Creates the error of a call that needs a sign-in. */
export function signInRequired(signIn: AccountSignIn, url: string): UserInputRequiredError {
  return new UserInputRequiredError(`The user has to sign in to ${signIn.server}`, signInRequest(signIn, url))
}

/**
 * Creates middleware that waits for the sign-in after the user has agreed to open the link, and that puts the link into an error for clients
 * that cannot show it.
 */
export function createSignInMiddleware({ signIns, waitTimeoutMs, accountOf }: SignInMiddlewareOptions): Middleware {
  return async (request, context, next) => {
    for (const { server, id, action } of answersOf(request)) {
      const account = accountOf(server, context)
      if (!account) continue
      if (action !== 'accept') return failed(request, `The user did not agree to sign in to ${server}.`)
      const outcome = await signIns.wait({ ...account, id }, { timeoutMs: waitTimeoutMs, signal: context.signal })
      if (typeof outcome === 'object') return failed(request, `The sign-in to ${server} failed: ${outcome.failed}`)
    }
    const response = await next(request, context)
    return canShowLinks(request) ? response : withLinks(request, response)
  }
}

interface SignInAnswer {
  readonly server: string
  /** The id of the sign-in. */
  readonly id: string
  readonly action: unknown
}

/** Returns the servers that the user was asked to sign in to, and the answers. */
function answersOf({ params }: Request): SignInAnswer[] {
  const responses = params?.inputResponses
  if (!isObject(responses)) return []
  return Object.entries(responses).flatMap(([key, answer]) => {
    const [, id, server] = KEY.exec(key) ?? []
    return id === undefined || server === undefined ? [] : [{ server, id, action: isObject(answer) ? answer.action : undefined }]
  })
}

/** Reports whether the client can show links to its user. */
export function canShowLinks({ params }: Request): boolean {
  const meta = isObject(params?._meta) ? params._meta : {}
  const capabilities = meta[MetaKey.clientCapabilities]
  const elicitation = isObject(capabilities) && capabilities.elicitation
  return isObject(elicitation) && isObject(elicitation.url)
}

/** Replaces the request to sign in by an error with the link, which models and programs can show. */
function withLinks(request: Request, response: Response): Response {
  if (!isSuccess(response) || response.result.resultType !== 'input_required') return response
  const { inputRequests } = response.result
  const asked = isObject(inputRequests) ? Object.entries(inputRequests).find(([key]) => KEY.test(key)) : undefined
  const params = asked && isObject(asked[1]) && isObject(asked[1].params) ? asked[1].params : undefined
  if (!asked || typeof params?.url !== 'string') return response
  const [, , server = ''] = KEY.exec(asked[0]) ?? []
  return failed(request, `Sign in to ${server} first: open ${params.url} in a browser, then try again.`, { url: params.url })
}

/** Returns a result with instructions for the model, or an error if the request is not a tool call. */
function failed({ id, method }: Request, text: string, data?: JsonObject): Response {
  if (method !== 'tools/call') return new RpcError(ErrorCode.invalidRequest, text, data).response(id)
  return success(id, { resultType: 'complete', content: [{ type: 'text', text }], isError: true })
}
