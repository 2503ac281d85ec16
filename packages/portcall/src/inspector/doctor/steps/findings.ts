import { RULE_ADVICE } from '../../quality/advice.ts'
import type { Finding } from '../../quality/finding.ts'
import { lint } from '../../quality/lint.ts'
import type { DiagnosisState, StepOutcome } from '../facts.ts'
import { skipped, stepOutcome } from '../outcome.ts'
import type { DiagnosisProblem } from '../types.ts'

/** The rules that are about schemas as such, whatever the host. */
const SCHEMA_RULES: ReadonlySet<string> = new Set(['input-schema', 'output-schema'])

/** Compiles the schemas of all tools. */
export async function checkSchemas(state: DiagnosisState): Promise<StepOutcome> {
  const findings = await findingsOf(state)
  if (!findings) return skipped('There are no lists')
  const { tools = [] } = state.known.inventory ?? {}
  const problems = findings.filter(({ rule }) => SCHEMA_RULES.has(rule)).map(toProblem)
  return stepOutcome(`${tools.length} input schemas, ${tools.filter(({ outputSchema }) => outputSchema).length} output schemas`, {
    problems,
  })
}

/** Checks what real hosts accept: names, counts, sizes and subsets of JSON Schema. The rules are those of `portcall check`. */
export async function checkHosts(state: DiagnosisState): Promise<StepOutcome> {
  const findings = await findingsOf(state)
  if (!findings) return skipped('There are no lists')
  return stepOutcome('All hosts accept the names, sizes and schemas', {
    problems: findings.filter(({ rule }) => !SCHEMA_RULES.has(rule)).map(toProblem),
  })
}

async function findingsOf({ known }: DiagnosisState): Promise<readonly Finding[] | undefined> {
  if (!known.inventory) return undefined
  known.findings ??= (await lint(known.inventory)).findings
  return known.findings
}

function toProblem({ level, rule, where, message }: Finding): DiagnosisProblem {
  return {
    code: rule,
    severity: level,
    where,
    message: `${where}: ${message}`,
    advice: RULE_ADVICE[rule] ?? 'Correct it.',
  }
}
