/** Finds the restrictions of arguments that are not checked, because a description must not slow the server down. */
import { objectOrEmpty } from './document/json.ts'
import type { OpenApiIssue } from './errors.ts'
import type { RequestPlan } from './requests/plan.ts'

/** Returns an issue for each restriction that is not checked. One in a shared schema is reported with the first operation that has it. */
export async function findUnchecked(plans: readonly RequestPlan[]): Promise<OpenApiIssue[]> {
  const withPatterns = plans.filter(({ inputSchema }) => JSON.stringify(inputSchema).includes('"pattern'))
  if (withPatterns.length === 0) return []
  const { uncheckedKeywords } = await import('../schema/unchecked-keywords.ts')
  const issues = new Map<string, OpenApiIssue>()
  for (const { operation, inputSchema } of withPatterns) {
    for (const { path, keyword, reason } of uncheckedKeywords(inputSchema)) {
      const isShared = Object.hasOwn(objectOrEmpty(inputSchema.$defs), path[0] ?? '')
      const problem = `${keyword} of ${path.join('.') || 'the arguments'} is not checked: ${reason}`
      const key = isShared ? problem : `${operation.id} ${problem}`
      if (!issues.has(key)) issues.set(key, { where: operation.id, problem })
    }
  }
  return [...issues.values()]
}
