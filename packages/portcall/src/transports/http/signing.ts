import { untilAborted } from '../../jsonrpc/waiting.ts'
import type { Authorizer, SentRequest, SignedRequest } from '../../protocol/authorizer.ts'
import type { Call, CallRequest } from './call.ts'

/** Puts an authorizer between a client and its calls. */
export interface Signing {
  /** The request with the headers that say who asks. */
  sign(request: CallRequest): Promise<CallRequest>
  /** Whether a request was not looked at, and has to be sent again; the answer is then done with. */
  retries(call: Call, sent: CallRequest, retries: number): Promise<boolean>
}

export interface SigningOptions {
  readonly authorizer: Authorizer
  /** Wraps what may take as long as a human needs. */
  readonly whileAsking: <T>(run: () => Promise<T>) => Promise<T>
  /** The connection is closed. */
  readonly ending: AbortSignal
}

/** Whatever an authorizer thinks, one request is not sent more often. */
const MAX_RETRIES = 6

export function createSigning({ authorizer, whileAsking, ending }: SigningOptions): Signing {
  /** Signals are joined when somebody looks: most requests are signed with what is at hand. */
  const asked = ({ method, url, caller }: CallRequest): SignedRequest & { readonly signal: AbortSignal } => {
    let signal: AbortSignal | undefined
    return {
      method,
      url,
      get signal() {
        const given = caller?.signal
        signal ??= AbortSignal.any(given ? [given, ending] : [ending])
        return signal
      },
    }
  }
  const wait = <T>(given: T | Promise<T>, request: { readonly signal: AbortSignal }): T | Promise<T> =>
    given instanceof Promise ? whileAsking(() => untilAborted(given, request.signal)) : given

  return {
    async sign(request) {
      const about = asked(request)
      const signed = await wait(authorizer.headers(about), about)
      return { ...request, headers: { ...request.headers, ...signed } }
    },
    async retries(call, sent, retries) {
      const about = asked(sent)
      const { method, url } = about
      const heard: SentRequest = {
        method,
        url,
        headers: sent.headers,
        retries,
        get signal() {
          return about.signal
        },
      }
      try {
        if (!(await wait(authorizer.answered(call, heard), about)) || retries >= MAX_RETRIES) return false
      } catch (error) {
        call.release()
        throw error
      }
      call.release()
      return true
    },
  }
}
