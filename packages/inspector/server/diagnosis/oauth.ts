import type { AuthProvider } from 'portcall/auth/client'
import type { AuthDebugger, AuthDebuggerOptions, AuthExchange, AuthFlowState, AuthFlowStep } from 'portcall/diagnostics'
import { parseUrl } from '../../../util/src/parse-url.ts'
import { randomId } from '../../../util/src/random.ts'
import type { CoreParts } from '../core-parts.ts'
import type { OAuthExchange, OAuthFlow, OAuthFlowOptions, OAuthStep } from '../protocol/diagnosis.ts'
import type { ExportFile } from '../protocol/sharing.ts'
import { InspectorCommandError } from '../state/command-error.ts'

/** The flows of the OAuth debugger. */
export interface OAuthFlows {
  readonly all: readonly OAuthFlow[]
  /** Starts a flow. Returns its id. @throws InspectorCommandError if the URL is invalid */
  start(url: string, options: OAuthFlowOptions): Promise<string>
  /** @throws InspectorCommandError if there is no such flow */
  get(flowId: string): AuthDebugger
  /** Uses the refresh token, or requests more scopes. */
  extend(flowId: string, action: 'refresh' | 'step-up', scopes: readonly string[] | undefined): void
  /** Revokes the tokens, and forgets the flow. Returns whether the server revoked them. */
  revoke(flowId: string): Promise<boolean>
  /** Forgets a flow and its tokens. */
  clear(flowId: string): void
  export(flowId: string): ExportFile
  /** Uses the access token of a flow for the connections of a server. */
  useFor(flowId: string, serverId: string): void
  /** Returns a provider with the token of the flow that is used for a server. */
  authOf(serverId: string): Promise<AuthProvider | undefined>
  close(): void
}

interface Flow {
  readonly engine: AuthDebugger
  state: OAuthFlow
}

/** Creates the list of flows, which is empty. */
export function createOAuthFlows({ hub, callbacks }: CoreParts): OAuthFlows {
  const flows = new Map<string, Flow>()
  const tokens = new Map<string, string>()
  const find = (flowId: string): Flow => {
    const flow = flows.get(flowId)
    if (!flow) throw new InspectorCommandError('NOT_FOUND', 'There is no such flow')
    return flow
  }
  // The flows that wait refuse it as well, and show why.
  callbacks.onRefused((url) => {
    for (const { engine } of flows.values()) engine.receive(url)
  })
  const clear = (flowId: string): void => {
    const { engine } = find(flowId)
    engine.cancel()
    engine.clear()
    flows.delete(flowId)
    hub.publish({ type: 'flow-removed', flowId })
  }

  return {
    get all() {
      return [...flows.values()].map(({ state }) => state)
    },
    get: (flowId) => find(flowId).engine,
    async start(url, { clientSecret, ...options }) {
      const { createAuthDebugger } = await import('portcall/diagnostics')
      const id = randomId(9)
      const endpoint = serverUrl(url)
      const initial: OAuthFlow = { id, serverUrl: endpoint.href, options, status: 'running', steps: [] }
      const expected = new Set<string>()
      const onChange = (state: AuthFlowState): void => {
        const flow = flows.get(id)
        if (!flow) return
        flow.state = toFlow(initial, state)
        hub.publish({ type: 'flow', flow: flow.state })
        expectRedirect(flow.engine, state)
      }
      // The engine has no pending state yet when it says that it waits, so the address tells it.
      const expectRedirect = (engine: AuthDebugger, { status, authorizationUrl }: AuthFlowState): void => {
        const pendingState = status === 'waiting' && authorizationUrl ? new URL(authorizationUrl).searchParams.get('state') : null
        if (pendingState === null || expected.has(pendingState)) return
        expected.add(pendingState)
        const { signal } = new AbortController()
        void callbacks.wait(pendingState, signal).then((response) => engine.receive(response))
      }
      const engine = createAuthDebugger(endpoint, {
        ...(await engineOptions(endpoint, { ...options, ...(clientSecret !== undefined && { clientSecret }) })),
        redirectUri: callbacks.redirectUri,
        onChange,
      })
      flows.set(id, { engine, state: initial })
      hub.publish({ type: 'flow', flow: initial })
      void engine.start()
      return id
    },
    extend(flowId, action, scopes) {
      const { engine } = find(flowId)
      void (action === 'refresh' ? engine.refresh() : engine.stepUp(scopes))
    },
    async revoke(flowId) {
      const revoked = await find(flowId).engine.revoke()
      clear(flowId)
      return revoked
    },
    clear,
    export(flowId) {
      const text = find(flowId).engine.export()
      return { fileName: 'oauth-flow.json', mimeType: 'application/json', text, messages: 0, redactions: [] }
    },
    useFor(flowId, serverId) {
      const { accessToken } = find(flowId).engine
      if (accessToken === undefined) throw new InspectorCommandError('FAILED', 'The flow has no access token yet')
      tokens.set(serverId, accessToken)
    },
    async authOf(serverId) {
      const token = tokens.get(serverId)
      if (token === undefined) return undefined
      const { bearerToken } = await import('portcall/auth/client')
      return bearerToken(() => token)
    },
    close() {
      for (const { engine } of flows.values()) engine.cancel()
    },
  }
}

function serverUrl(text: string): URL {
  const url = parseUrl(text)
  if (url && /^https?:$/.test(url.protocol)) return url
  throw new InspectorCommandError('INVALID_PARAMS', `${text} is not the URL of a server`)
}

async function engineOptions(endpoint: URL, options: OAuthFlowOptions): Promise<Omit<AuthDebuggerOptions, 'redirectUri'>> {
  const auth = await import('portcall/auth/client')
  const { mode, clientId, clientSecret, clientMetadataUrl, scopes } = options
  const isLocal = endpoint.hostname === 'localhost' || endpoint.hostname === '[::1]' || /^127\./.test(endpoint.hostname)
  return {
    mode: mode === 'step' ? 'step' : 'run',
    clientName: 'Portcall inspector',
    ...(clientId !== undefined && { client: { clientId, ...(clientSecret !== undefined && { clientSecret }) } }),
    ...(clientMetadataUrl !== undefined && { clientMetadataUrl }),
    ...(scopes && { scopes }),
    ...(isLocal && { allow: [auth.insecureHttp, auth.insecurePrivateAddresses] }),
  }
}

function toFlow(initial: OAuthFlow, { status, steps, next, authorizationUrl, error }: AuthFlowState): OAuthFlow {
  return {
    ...initial,
    status: status === 'idle' ? 'running' : status,
    steps: steps.map(toStep),
    ...(next !== undefined && { next }),
    ...(authorizationUrl !== undefined && { authorizationUrl }),
    ...(error !== undefined && { failure: { code: 'AUTH_FAILED', message: error } }),
  }
}

function toStep({ step, title, status, exchanges, checks, claims, summary, durationMs }: AuthFlowStep, index: number): OAuthStep {
  return {
    id: `${index} ${step}`,
    name: step,
    title,
    status,
    exchanges: exchanges.map(toExchange),
    checks: checks.map(({ rule, verdict, title: expected, message, advice, section }) => ({
      rule,
      status: verdict,
      message: message === undefined ? expected : [message, advice].filter(Boolean).join(' '),
      section: section.name,
      link: section.url,
    })),
    claims,
    ...(summary !== undefined && { summary }),
    durationMs,
  }
}

function toExchange({ method, url, headers, body, response, error, durationMs }: AuthExchange): OAuthExchange {
  return {
    method,
    url,
    requestHeaders: headers,
    ...(body !== undefined && { requestBody: body }),
    ...(response && { status: response.status, responseHeaders: response.headers, responseBody: response.body }),
    ...(error !== undefined && { failure: error }),
    durationMs,
  }
}
