import type { ConnectionFault } from '../../../../util/src/connection-faults.ts'
import type { StepOutcome } from './facts.ts'
import type { DiagnosisProblem, Evidence } from './types.ts'

/** Creates the outcome of a step from its problems: an error fails it. */
export function stepOutcome(
  summary: string,
  { evidence = [], problems = [] }: { evidence?: readonly Evidence[]; problems?: readonly DiagnosisProblem[] } = {},
): StepOutcome {
  const error = problems.find(({ severity }) => severity === 'error')
  if (error) return { verdict: 'failed', summary: error.message, evidence, problems }
  const [first, second] = problems
  if (!first) return { verdict: 'passed', summary, evidence, problems }
  return { verdict: 'warning', summary: second ? `${problems.length} warnings` : first.message, evidence, problems }
}

/** Creates the outcome of a step that does not apply. */
export function skipped(summary: string): StepOutcome {
  return { verdict: 'skipped', summary }
}

/** Creates an error. */
export function errorProblem(code: string, message: string, advice: string): DiagnosisProblem {
  return { code, severity: 'error', message, advice }
}

/** Creates the error for a connection that does not open. `subject` is the address. */
export function faultProblem({ code, fault, advice }: ConnectionFault, subject?: string): DiagnosisProblem {
  const message = subject === undefined ? fault.charAt(0).toUpperCase() + fault.slice(1) : `${subject}: ${fault}`
  return errorProblem(code, message, /[.?]$/.test(advice) ? advice : `${advice}.`)
}

/** Creates a warning. */
export function warningProblem(code: string, message: string, advice: string): DiagnosisProblem {
  return { code, severity: 'warning', message, advice }
}

/** Returns evidence for the values that are present. */
export function evidenceOf(values: { readonly [label: string]: string | number | undefined }): Evidence[] {
  return Object.entries(values).flatMap(([label, value]) =>
    value === undefined || value === '' ? [] : [{ label, value: String(value) }],
  )
}
