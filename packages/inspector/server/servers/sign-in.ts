import {
  type AllowedAddress,
  type AuthProvider,
  authorizationCode,
  createSafeFetch,
  insecureHttp,
  insecurePrivateAddresses,
} from 'portcall/auth/client'
import type { Callbacks } from '../http/callbacks.ts'
import type { QuestionRequest } from '../protocol/operations.ts'
import type { Questions } from '../questions/questions.ts'
import { InspectorCommandError } from '../state/command-error.ts'
import type { Timeline } from '../timeline/timeline.ts'
import { tapWebFetch } from '../wire/web-fetch-tap.ts'

export interface SignInParts {
  readonly serverId: string
  readonly url: URL
  readonly questions: Questions
  readonly callbacks: Callbacks
  readonly timeline: Timeline
}

/** Creates a provider that shows the address of the authorization server as a question, and waits for the redirect. */
export function createSignIn({ serverId, url, questions, callbacks, timeline }: SignInParts): AuthProvider {
  const allow: AllowedAddress[] = isLocal(url) ? [insecureHttp, insecurePrivateAddresses] : []
  const safe = createSafeFetch({ trustedUrl: url, allow })
  const send = (input: string | URL | Request, init?: object): Promise<Response> => safe.fetch(String(input), init)
  return authorizationCode({
    redirectUri: callbacks.redirectUri,
    clientName: 'Portcall inspector',
    fetch: tapWebFetch(send, { serverId, timeline }),
    allow,
    async authorize(address, { state, issuer, signal }) {
      const done = new AbortController()
      const both = AbortSignal.any([signal, done.signal])
      const request: QuestionRequest = { kind: 'sign-in', issuer, url: address.href }
      const answer = questions.ask({ serverId, request, signal: both })
      const refused = answer.then(({ action }) => {
        if (action !== 'accept') throw new InspectorCommandError('SIGN_IN_CANCELLED', 'The sign-in was cancelled')
        return new Promise<never>(() => {})
      })
      refused.catch(() => {})
      try {
        return await Promise.race([callbacks.wait(state, both), refused])
      } finally {
        done.abort(new Error('The sign-in has ended'))
      }
    },
  })
}

/** Returns a provider that uses the tokens of an earlier sign-in for as long as they are valid, and then the other provider. */
export function fallingBack(stored: AuthProvider, signIn: AuthProvider): AuthProvider {
  return {
    authorizer(endpoint) {
      const [earlier, later] = [stored.authorizer(endpoint), signIn.authorizer(endpoint)]
      let isOver = false
      const use = async <T>(run: (authorizer: typeof later) => T | Promise<T>): Promise<T> => {
        if (isOver) return run(later)
        try {
          return await run(earlier)
        } catch {
          isOver = true
          return run(later)
        }
      }
      return {
        headers: (request) => use((authorizer) => authorizer.headers(request)),
        onResponse: (response, sent) => use((authorizer) => authorizer.onResponse(response, sent)),
      }
    },
  }
}

/** Reports whether a server is on this machine, where authorization servers of tests use http. */
function isLocal({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname)
}
