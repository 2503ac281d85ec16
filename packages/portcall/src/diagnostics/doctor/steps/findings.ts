import { pluralize } from '../../../../../util/src/pluralize.ts'
import type { Finding } from '../../quality/finding.ts'
import type { HostVerdict } from '../../quality/host-verdict.ts'
import { type LintResult, lint } from '../../quality/lint.ts'
import type { DiagnosisState, StepOutcome } from '../facts.ts'
import { skipped, stepOutcome } from '../outcome.ts'
import type { DiagnosisProblem, Evidence } from '../types.ts'

/** The rules that are about schemas as such, whatever the host. */
const SCHEMA_RULES: ReadonlySet<string> = new Set(['input-schema', 'output-schema'])

/** Compiles the schemas of all tools. */
export async function checkSchemas(state: DiagnosisState): Promise<StepOutcome> {
  const quality = await qualityOf(state)
  if (!quality) return skipped('There are no lists')
  const { tools = [] } = state.known.inventory ?? {}
  const problems = quality.findings.filter(({ rule }) => SCHEMA_RULES.has(rule)).map(toProblem)
  const outputs = tools.filter(({ outputSchema }) => outputSchema).length
  return stepOutcome(`${pluralize(tools.length, 'input schema')}, ${pluralize(outputs, 'output schema')}`, { problems })
}

/** Checks what real hosts accept: names, counts, sizes and subsets of JSON Schema. The rules are those of `portcall check`. */
export async function checkHosts(state: DiagnosisState): Promise<StepOutcome> {
  const quality = await qualityOf(state)
  if (!quality) return skipped('There are no lists')
  return stepOutcome('All hosts accept the names, sizes and schemas', {
    evidence: hostEvidence(quality.hosts),
    problems: quality.findings.filter(({ rule }) => !SCHEMA_RULES.has(rule)).map(toProblem),
  })
}

async function qualityOf({ known }: DiagnosisState): Promise<LintResult | undefined> {
  if (known.inventory) known.quality ??= await lint(known.inventory)
  return known.quality
}

/** The problems of each host, and in one line the hosts without problems. */
function hostEvidence(hosts: readonly HostVerdict[]): Evidence[] {
  const accepting = hosts.filter(({ verdict }) => verdict === 'accepts').map(({ host }) => host)
  const others = hosts.filter(({ verdict }) => verdict !== 'accepts').map(toEvidence)
  return accepting.length > 0 ? [...others, { label: 'accepted as it is by', value: accepting.join(', ') }] : others
}

/** One line for a host, and one for each of its problems. */
function toEvidence({ host, verdict, problems }: HostVerdict): Evidence {
  const lines = problems.map(({ tool, effect, message, source }) => {
    const subject = tool === undefined ? 'the tools' : `tool ${tool}`
    return `${effect} ${subject}: ${message} (${source})`
  })
  return { label: host, value: [`${verdict} some tools`, ...lines].join('\n') }
}

function toProblem({ level, rule, where, message, advice, hosts }: Finding): DiagnosisProblem {
  return {
    code: rule,
    severity: level,
    where,
    message: `${where}: ${message}${hosts ? ` (${hosts.join(', ')})` : ''}`,
    advice,
  }
}
