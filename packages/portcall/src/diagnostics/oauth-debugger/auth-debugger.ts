import { createSafeFetch } from '../../auth/client/http/safe-fetch.ts'
import type { AuthFetch } from '../../auth/client/types.ts'
import { createRedactor } from '../../recording/redact.ts'
import { createFlowLog, type FlowLog } from './flow-log.ts'
import type { FlowParts } from './flow-parts.ts'
import type { AuthDebuggerOptions, AuthFlowState } from './flow-state.ts'
import { runRefresh, runSignIn, runStepUp } from './flow-steps.ts'
import { observeFetch } from './observe-fetch.ts'
import { createPauseGate } from './pause-gate.ts'
import { createCallbackReceiver } from './receive-callback.ts'

/** A sign-in that can be watched and stopped at each request. It needs no connection. */
export interface AuthDebugger {
  /** The state, with masked secrets. */
  readonly state: AuthFlowState
  /** The access token, once there is one. */
  readonly accessToken: string | undefined
  /** The `state` parameter that the flow waits for. */
  readonly pendingState: string | undefined
  /** Runs the flow from the challenge to a call with the token. Never rejects. */
  start(): Promise<AuthFlowState>
  /** Sends the request that the flow is paused before. */
  next(): void
  /** Continues without pauses. */
  run(): void
  /** Stops the flow. */
  cancel(): void
  /**
   * Delivers what arrived at the redirect URI. Returns false if the response is refused: its `state` is foreign, or was used before. The flow then
   * goes on waiting.
   */
  receive(response: string | URL | URLSearchParams): boolean
  /** Uses the refresh token. Never rejects. */
  refresh(): Promise<AuthFlowState>
  /** Signs in again with more scopes, by default those of the last 403 response, and calls again. Never rejects. */
  stepUp(scopes?: readonly string[]): Promise<AuthFlowState>
  /** Revokes the tokens if the server supports it. Returns whether it did. */
  revoke(): Promise<boolean>
  /** Forgets the tokens and all secrets. */
  clear(): void
  /** Returns the secret behind a placeholder such as `••••1`. */
  reveal(placeholder: string): string | undefined
  /** Returns the flow as JSON, without secrets. */
  export(): string
}

/**
 * Creates a debugger of the sign-in to an MCP server: challenge, metadata, registration, authorization, callback, token and call. It does what
 * clients of this library do, shows each request and response, and checks the rules of the specification on them.
 *
 * @throws TypeError if the URL is invalid.
 */
export function createAuthDebugger(url: string | URL, options: AuthDebuggerOptions): AuthDebugger {
  const endpoint = new URL(url)
  endpoint.hash = ''
  const { onChange = () => {}, allow = [], mode = 'run' } = options
  const abort = new AbortController()
  const signal = options.signal ? AbortSignal.any([options.signal, abort.signal]) : abort.signal
  const log = createFlowLog(onChange)
  log.mask.add(options.client?.clientSecret)
  const gate = createPauseGate({ isPausing: mode === 'step', signal, onPause: log.pauseBefore })
  const safe = createSafeFetch({ trustedUrl: endpoint, allow })
  const fetch = observeFlow(safe.fetch, log, gate.wait)
  const callbacks = createCallbackReceiver(log)
  const parts: FlowParts = {
    endpoint,
    options,
    signal,
    log,
    fetch,
    checkBrowserUrl: safe.checkBrowserUrl,
    callbacks,
    session: {},
  }
  const guard = (run: (flow: FlowParts) => Promise<void>) => async (): Promise<AuthFlowState> => {
    await log.guard(() => run(parts), signal)
    return log.state
  }

  return {
    get state() {
      return log.state
    },
    get accessToken() {
      return parts.session.tokens?.accessToken
    },
    get pendingState() {
      return callbacks.pending
    },
    start: guard(runSignIn),
    next: gate.next,
    run: gate.run,
    cancel: () => abort.abort(new Error('The flow was cancelled')),
    receive: callbacks.receive,
    refresh: guard(runRefresh),
    stepUp: (scopes) => guard((flow) => runStepUp(flow, scopes))(),
    revoke: () => revokeTokens(parts),
    clear() {
      parts.session = {}
      log.clear()
    },
    reveal: (placeholder) => log.mask.reveal(placeholder),
    export: () =>
      `${JSON.stringify(createRedactor()({ portcall: 'oauth-flow', version: 1, server: endpoint.href, ...log.state }), null, 2)}\n`,
  }
}

function observeFlow(fetch: AuthFetch, log: FlowLog, wait: (step: FlowLog['current']) => Promise<void>): AuthFetch {
  return observeFetch(fetch, {
    stepOf: (url) => log.stepOf(url),
    async beforeRequest({ step }) {
      await wait(step)
      log.resume(step)
    },
    onExchange: (exchange) => log.add(exchange),
  })
}

/** https://www.rfc-editor.org/rfc/rfc7009#section-2.1 */
async function revokeTokens({ session, fetch, log }: FlowParts): Promise<boolean> {
  const { server, tokens, client } = session
  const endpoint = server?.revocation_endpoint
  if (endpoint === undefined || !tokens || !client) return false
  log.enter('token')
  const wanted = [tokens.refreshToken, tokens.accessToken].filter((token): token is string => token !== undefined)
  const responses = await Promise.all(
    wanted.map((token) =>
      fetch(endpoint, { method: 'POST', body: new URLSearchParams({ token, client_id: client.clientId }) }).catch(
        () => undefined,
      ),
    ),
  )
  return responses.every((response) => response?.ok === true)
}
