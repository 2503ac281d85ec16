import { errorMessage } from '../../../../util/src/errors.ts'
import type { ConnectTarget } from '../../connect/target.ts'
import { isObject } from '../../jsonrpc/message.ts'
import type { DiagnosisState, RunStep, StepOutcome } from './facts.ts'
import { checkAuthorization } from './steps/authorization.ts'
import { checkDns } from './steps/dns.ts'
import { checkEra } from './steps/era.ts'
import { checkEvents } from './steps/events.ts'
import { checkHosts, checkSchemas } from './steps/findings.ts'
import { checkHttp } from './steps/http.ts'
import { checkCapabilities, checkLists } from './steps/inventory.ts'
import { checkProgram } from './steps/program.ts'
import { checkSession } from './steps/session.ts'
import { checkSignIn } from './steps/sign-in.ts'
import { checkTarget } from './steps/target.ts'
import { checkTcp } from './steps/tcp.ts'
import { checkTls } from './steps/tls.ts'
import {
  DIAGNOSIS_STEPS,
  type DiagnoseOptions,
  type Diagnosis,
  type DiagnosisEvent,
  type DiagnosisStepId,
  type StepResult,
} from './types.ts'

const RUN: { readonly [step in DiagnosisStepId]: RunStep } = {
  target: checkTarget,
  dns: checkDns,
  tcp: checkTcp,
  tls: checkTls,
  http: checkHttp,
  program: checkProgram,
  authorization: checkAuthorization,
  'sign-in': checkSignIn,
  era: checkEra,
  session: checkSession,
  capabilities: checkCapabilities,
  lists: checkLists,
  schemas: checkSchemas,
  hosts: checkHosts,
  events: checkEvents,
}

const AFTER_CONNECTING = ['capabilities', 'lists', 'schemas', 'hosts'] as const
const STEPS: { readonly [kind in TargetKind]: readonly DiagnosisStepId[] } = {
  url: ['target', 'dns', 'tcp', 'tls', 'http', 'authorization', 'sign-in', 'era', 'session', ...AFTER_CONNECTING],
  program: ['target', 'program', 'era', ...AFTER_CONNECTING],
  other: ['target', 'era', ...AFTER_CONNECTING],
}

/** These steps look at different things: the next one runs even if one has found an error. */
const INDEPENDENT: ReadonlySet<DiagnosisStepId> = new Set(['session', 'capabilities', 'lists', 'schemas', 'hosts', 'events'])

const STEP_TIMEOUT_MS = 4000

type TargetKind = 'url' | 'program' | 'other'

/**
 * Finds out what is wrong with a server. Yields each step when it starts and when it ends, and the whole diagnosis last. Does not throw for any
 * kind of broken server. Needs Node. Tools are not called. Stop iterating, or abort `signal`, to end it early.
 *
 * @example
 * for await (const event of diagnose('https://api.example.com/mcp'))
 *   if (event.type === 'step-finished') console.log(event.result.title, event.result.summary)
 *
 * @throws the reason of the signal.
 */
export async function* diagnose(target: ConnectTarget, options: DiagnoseOptions = {}): AsyncGenerator<DiagnosisEvent, void> {
  const { stepTimeoutMs = STEP_TIMEOUT_MS, signal = new AbortController().signal } = options
  const state: DiagnosisState = { target, options, stepTimeoutMs, signal, known: {} }
  const usual = STEPS[kindOf(target)]
  const planned: readonly DiagnosisStepId[] = options.events ? [...usual, 'events'] : usual
  const steps: StepResult[] = []
  try {
    for (const step of planned) {
      yield { type: 'step-started', step, title: DIAGNOSIS_STEPS[step] }
      const result = await runStep(step, state)
      steps.push(result)
      yield { type: 'step-finished', result }
      if (result.verdict === 'failed' && !INDEPENDENT.has(step)) break
    }
    yield { type: 'finished', diagnosis: summarize(steps, planned) }
  } finally {
    await state.known.connection?.client?.close().catch(() => {})
  }
}

async function runStep(step: DiagnosisStepId, state: DiagnosisState): Promise<StepResult> {
  state.signal.throwIfAborted()
  const startedAt = performance.now()
  const outcome = await RUN[step](state).catch((error: unknown): StepOutcome => {
    state.signal.throwIfAborted()
    return {
      verdict: 'failed',
      summary: errorMessage(error),
      problems: [{ code: 'unexpected', severity: 'error', message: errorMessage(error), advice: 'Please report this error.' }],
    }
  })
  const durationMs = Math.round(performance.now() - startedAt)
  return { step, title: DIAGNOSIS_STEPS[step], evidence: [], problems: [], ...outcome, durationMs }
}

function summarize(steps: readonly StepResult[], planned: readonly DiagnosisStepId[]): Diagnosis {
  const failedStep = steps.find(({ verdict }) => verdict === 'failed')?.step
  const verdict = failedStep ? 'failed' : steps.some((step) => step.verdict === 'warning') ? 'warning' : 'passed'
  return { verdict, failedStep, steps, notReached: planned.slice(steps.length) }
}

function kindOf(target: ConnectTarget): TargetKind {
  if (typeof target === 'string' || target instanceof URL) return 'url'
  return isObject(target) && 'command' in target ? 'program' : 'other'
}
