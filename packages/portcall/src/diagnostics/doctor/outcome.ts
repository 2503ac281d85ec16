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

/** Returns the code of a system error, also of one that wraps others. */
export function errorCode(error: unknown): string {
  if (typeof error !== 'object' || error === null) return ''
  const { code, errors, cause } = error as { code?: unknown; errors?: unknown; cause?: unknown }
  if (typeof code === 'string') return code
  const [first] = Array.isArray(errors) ? (errors as unknown[]) : []
  return errorCode(first ?? cause)
}
