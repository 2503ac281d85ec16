import { createInterface } from 'node:readline/promises'
import type { AuthDebugger, AuthFlowState, AuthFlowStep } from 'portcall/diagnostics'
import type { ExitReason } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import { startCallbackServer } from './callback-server.ts'

/** How to debug a sign-in. */
export interface DebugLoginOptions {
  readonly clientId: string | undefined
  readonly scopes: readonly string[] | undefined
  /** True to ask before each request. */
  readonly pauses: boolean
  /** Shows the page where the user signs in. */
  readonly open: (page: URL) => Promise<unknown> | unknown
  readonly io: Io
}

/** Runs a sign-in step by step, and prints each request, response and rule. Stores nothing. */
export async function debugLogin(url: URL, { clientId, scopes, pauses, open, io }: DebugLoginOptions): Promise<ExitReason> {
  const { createAuthDebugger } = await import('portcall/diagnostics')
  const server = await startCallbackServer((response) => flow.receive(response))
  let opened: string | undefined
  const onChange = (state: AuthFlowState): void => {
    const { status, authorizationUrl, next } = state
    if (status === 'paused' && next !== undefined) void askToContinue(flow, next, io)
    if (status !== 'waiting' || authorizationUrl === undefined || authorizationUrl === opened) return
    opened = authorizationUrl
    void open(new URL(authorizationUrl))
  }
  const flow = createAuthDebugger(url, {
    redirectUri: server.redirectUri,
    mode: pauses && io.interactive ? 'step' : 'run',
    signal: io.signal,
    onChange,
    ...(clientId !== undefined && { client: { clientId } }),
    ...(scopes && { scopes }),
  })
  try {
    const signedIn = await flow.start()
    const state = signedIn.status === 'done' ? await continueFlow(flow) : signedIn
    io.signal.throwIfAborted()
    if (io.json) io.data(JSON.stringify(JSON.parse(flow.export())))
    else for (const step of state.steps) printAuthStep(step, io)
    return state.status === 'done' ? 'success' : 'unauthorized'
  } finally {
    server.close()
  }
}

/** Requests more scopes if the call needs them, and tries the refresh token. */
async function continueFlow(flow: AuthDebugger): Promise<AuthFlowState> {
  const call = flow.state.steps.find(({ step }) => step === 'call')
  const needsScopes = call?.exchanges.at(-1)?.response?.status === 403
  const state = needsScopes ? await flow.stepUp() : flow.state
  return state.status === 'done' ? flow.refresh() : state
}

async function askToContinue(flow: AuthDebugger, step: string, io: Io): Promise<void> {
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const answer = await lines.question(`Next: ${step}. Press Enter to send the request, or r to run to the end: `, {
      signal: io.signal,
    })
    if (answer.trim().toLowerCase() === 'r') flow.run()
    else flow.next()
  } catch {
    flow.cancel()
  } finally {
    lines.close()
  }
}

const MARKS: { readonly [status in AuthFlowStep['status']]: string } = {
  running: '…',
  passed: '✓',
  warning: '!',
  failed: '✗',
  skipped: '-',
}
const MAX_BODY = 600

function printAuthStep({ title, status, summary = '', exchanges, checks, claims }: AuthFlowStep, io: Io): void {
  io.line(`${MARKS[status]} ${title}${summary === '' ? '' : `: ${summary}`}`)
  for (const { method, url, headers, body, response, error } of exchanges) {
    io.line(`    ${method} ${url}`)
    if (headers.authorization !== undefined) io.line(`      authorization: ${headers.authorization}`)
    if (body !== undefined) io.line(`      ${body.slice(0, MAX_BODY)}`)
    io.line(`    → ${response ? `HTTP ${response.status}` : (error ?? '')}`)
    const challenge = response?.headers['www-authenticate']
    if (challenge !== undefined) io.line(`      www-authenticate: ${challenge}`)
    if (response?.body) io.line(`      ${response.body.slice(0, MAX_BODY).replace(/\s+/g, ' ')}`)
  }
  for (const { label, payload } of claims) io.line(`    ${label}: ${JSON.stringify(payload)}`)
  for (const { verdict, title: rule, message, advice, section } of checks) {
    io.line(`    ${MARKS[verdict]} ${rule} (${section.name})`)
    if (message !== undefined) io.line(`      ${message} → ${advice ?? ''}`)
  }
}
