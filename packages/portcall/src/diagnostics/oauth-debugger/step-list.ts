import type { AuthFlowStep } from './flow-state.ts'
import { AUTH_STEPS, type AuthStepId, type RuleResult } from './types.ts'

/** The steps of a flow so far. */
export interface StepList {
  /** Returns a step, and adds it if it is new. */
  open(step: AuthStepId): OpenStep
  /** Returns all steps, in order. */
  all(): AuthFlowStep[]
  clear(): void
}

/** A step that can be changed. */
export type OpenStep = { -readonly [key in keyof AuthFlowStep]: AuthFlowStep[key] } & {
  /** Sets the results of the rules, and with them the outcome. */
  close(checks: readonly RuleResult[]): void
}

/** Creates an empty list. */
export function createStepList(): StepList {
  const steps = new Map<AuthStepId, OpenStep>()
  return {
    open(step) {
      const known = steps.get(step) ?? createStep(step)
      steps.set(step, known)
      return known
    },
    all: () => [...steps.values()].map(({ close: _, ...step }) => step),
    clear: () => steps.clear(),
  }
}

function createStep(step: AuthStepId): OpenStep {
  const startedAt = performance.now()
  const opened: OpenStep = {
    step,
    title: AUTH_STEPS[step],
    status: 'running',
    exchanges: [],
    checks: [],
    claims: [],
    durationMs: 0,
    close(checks) {
      opened.checks = checks
      opened.status = statusOf(checks)
      opened.durationMs = Math.round(performance.now() - startedAt)
    },
  }
  return opened
}

function statusOf(checks: readonly RuleResult[]): AuthFlowStep['status'] {
  if (checks.some(({ verdict }) => verdict === 'failed')) return 'failed'
  return checks.some(({ verdict }) => verdict === 'warning') ? 'warning' : 'passed'
}
