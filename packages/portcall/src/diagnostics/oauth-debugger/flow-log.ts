import { withoutUndefined } from '../../../../util/src/without-undefined.ts'
import { checkRules } from './check-rules.ts'
import { bearerChallenge, DISCOVERY_RULES, metadataStep } from './discovery.ts'
import type { AuthFlowState, DecodedToken } from './flow-state.ts'
import { lastOf } from './observed.ts'
import { CALL_RULES, CALLBACK_RULES, REGISTRATION_RULES } from './rules/sign-in.ts'
import { REFRESH_RULES, TOKEN_RULES } from './rules/tokens.ts'
import { createSecretMask, type SecretMask } from './secret-mask.ts'
import { createStepList, type StepList } from './step-list.ts'
import type { AuthExchange, AuthFacts, AuthStepId, RuleResult } from './types.ts'

const RULES = [...DISCOVERY_RULES, ...REGISTRATION_RULES, ...CALLBACK_RULES, ...TOKEN_RULES, ...CALL_RULES, ...REFRESH_RULES]

/** Thrown when a step has violated a rule, so that the flow cannot go on. */
class FlowStoppedError extends Error {
  override readonly name = 'FlowStoppedError'
}

/** The events of a flow, as people see it. */
export interface FlowLog {
  readonly state: AuthFlowState
  readonly mask: SecretMask
  readonly current: AuthStepId
  /** All exchanges, with secrets. */
  readonly exchanges: readonly AuthExchange[]
  /** Starts a step. */
  enter(step: AuthStepId): void
  /** Returns the step of a request. Requests for metadata are told apart by their URL. */
  stepOf(url: string): AuthStepId
  pauseBefore(step: AuthStepId): void
  resume(step: AuthStepId): void
  add(exchange: AuthExchange): void
  /** Shows where the user has to sign in. */
  waitAt(url: URL): void
  /** Adds what rules read. */
  learn(facts: Partial<AuthFacts>): void
  /** Checks the rules of an authorization response, also of one that is refused. */
  checkCallback(facts: Partial<AuthFacts>): void
  /** Ends a step: checks its rules. @throws FlowStoppedError if one is violated. */
  leave(step: AuthStepId, details?: { readonly summary?: string; readonly claims?: readonly DecodedToken[] }): void
  /** Marks a step that does not apply. */
  skip(step: AuthStepId, summary: string): void
  /** Runs a part of a flow and records how it ends. */
  guard(run: () => Promise<void>, signal: AbortSignal): Promise<void>
  clear(): void
}

type MutableState = { -readonly [key in Exclude<keyof AuthFlowState, 'steps'>]?: AuthFlowState[key] | undefined }

/** The state that the parts of a log share. */
interface LogState {
  readonly mask: SecretMask
  readonly steps: StepList
  exchanges: AuthExchange[]
  facts: Partial<AuthFacts>
  shown: MutableState
  current: AuthStepId
  /** Changes what is shown, and tells the observer. */
  publish(changes?: Partial<MutableState>): void
}

/** Creates the log of one flow. */
export function createFlowLog(onChange: (state: AuthFlowState) => void): FlowLog {
  const log: LogState = {
    mask: createSecretMask(),
    steps: createStepList(),
    exchanges: [],
    facts: {},
    shown: { status: 'idle' },
    current: 'challenge',
    publish(changes = {}) {
      log.shown = { ...log.shown, ...changes }
      onChange(snapshotOf(log))
    },
  }
  return {
    get state() {
      return snapshotOf(log)
    },
    mask: log.mask,
    get current() {
      return log.current
    },
    get exchanges() {
      return log.exchanges
    },
    stepOf: (url) => stepOfRequest(log, url),
    pauseBefore: (step) => log.publish({ status: 'paused', next: step }),
    waitAt: (url) => log.publish({ status: 'waiting', authorizationUrl: url.href }),
    learn: (more) => void Object.assign(log.facts, more),
    ...createStepChanges(log),
    ...createEndings(log),
  }
}

/** The functions that change steps. */
function createStepChanges(log: LogState): Pick<FlowLog, 'enter' | 'resume' | 'add' | 'checkCallback' | 'leave' | 'skip'> {
  const { steps, mask } = log
  const enter = (step: AuthStepId): void => {
    log.current = step
    steps.open(step)
    log.publish({ status: 'running', next: undefined })
  }
  return {
    enter,
    resume: enter,
    add(exchange) {
      log.exchanges = [...log.exchanges, exchange]
      const step = steps.open(exchange.step)
      step.exchanges = [...step.exchanges, mask.mask(exchange)]
      log.publish()
    },
    checkCallback(more) {
      mask.add(more.callback?.get('code') ?? undefined)
      steps.open('callback').checks = check(log, 'callback', more)
      log.publish()
    },
    leave(step, { summary, claims = [] } = {}) {
      const opened = steps.open(step)
      if (summary !== undefined) opened.summary = mask.maskText(summary)
      opened.claims = [...opened.claims, ...claims]
      opened.close(check(log, step))
      log.current = step
      log.publish()
      const violated = opened.checks.find(({ verdict }) => verdict === 'failed')
      if (violated) throw new FlowStoppedError(violated.message)
    },
    skip(step, summary) {
      Object.assign(steps.open(step), { status: 'skipped', summary })
      log.publish()
    },
  }
}

/** The functions that end a flow. */
function createEndings(log: LogState): Pick<FlowLog, 'guard' | 'clear'> {
  const fail = (error: unknown): void => {
    const step = log.steps.open(log.current)
    const message = log.mask.maskText(error instanceof Error ? error.message : String(error))
    const isExplained = step.checks.some(({ verdict }) => verdict === 'failed')
    if (!isExplained) step.close([...check(log, log.current), clientResult(log.current, message)])
    const violated = step.checks.find(({ verdict }) => verdict === 'failed')
    log.publish({ status: 'failed', error: violated?.message ?? message, next: undefined })
  }
  return {
    async guard(run, signal) {
      try {
        await run()
        log.publish({ status: 'done', next: undefined, authorizationUrl: undefined })
      } catch (error) {
        if (signal.aborted) log.publish({ status: 'cancelled', next: undefined })
        else fail(error)
      }
    },
    clear() {
      log.mask.clear()
      log.steps.clear()
      log.exchanges = []
      log.facts = {}
      log.publish({ status: 'idle', next: undefined, authorizationUrl: undefined, error: undefined })
    },
  }
}

function snapshotOf({ shown, steps }: LogState): AuthFlowState {
  const { next, authorizationUrl, error, status = 'idle' } = shown
  return {
    status,
    steps: steps.all(),
    ...withoutUndefined({ next, authorizationUrl, error }),
  }
}

/** Requests for metadata are told apart by their URL, because discovery sends them in one go. */
function stepOfRequest({ current, exchanges }: LogState, url: string): AuthStepId {
  if (current !== 'resource-metadata' && current !== 'server-metadata') return current
  const challenge = lastOf({ exchanges }, 'challenge')
  return metadataStep(url, challenge ? bearerChallenge(challenge) : {})
}

function check({ facts, exchanges, mask }: LogState, step: AuthStepId, more: Partial<AuthFacts> = {}): RuleResult[] {
  const defaults = { hasConfiguredClient: false, endpoint: new URL('http://localhost') }
  const results = checkRules(RULES, { ...defaults, ...facts, ...more, exchanges, now: Date.now() }, step)
  return results.map((result) => ({ ...result, ...(result.message !== undefined && { message: mask.maskText(result.message) }) }))
}

/** Returns the finding for a result that the client itself refuses, although no rule explains it. */
function clientResult(step: AuthStepId, message: string): RuleResult {
  const section = { name: 'MCP, Authorization', url: 'https://modelcontextprotocol.io/specification/latest/basic/authorization' }
  return {
    rule: 'client',
    step,
    title: 'Clients can go on',
    section,
    verdict: 'failed',
    message,
    advice: 'Correct what the message names.',
  }
}
