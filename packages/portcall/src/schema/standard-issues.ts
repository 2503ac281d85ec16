import type { Issue, StandardIssue } from './standard.ts'

/** So many issues are told of one value. */
export const MAX_ISSUES = 20

/** Turns the issues of a Standard Schema into ours. */
export function fromStandardIssues(issues: readonly StandardIssue[]): Issue[] {
  return Array.from(issues, ({ path = [], message }) => ({
    path: Array.from(path, (step) => key(typeof step === 'object' ? step.key : step)),
    message,
  })).slice(0, MAX_ISSUES)
}

function key(step: PropertyKey): string | number {
  return typeof step === 'symbol' ? String(step) : step
}
