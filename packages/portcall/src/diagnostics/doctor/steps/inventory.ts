import { pluralize } from '../../../../../util/src/pluralize.ts'
import type { Client } from '../../../client/types.ts'
import { type ListFailure, probeUndeclared, readInventory } from '../../quality/inventory.ts'
import type { DiagnosisState, StepOutcome } from '../facts.ts'
import { errorProblem, evidenceOf, skipped, stepOutcome, warningProblem } from '../outcome.ts'
import type { DiagnosisProblem } from '../types.ts'
import { withinTime } from '../within-time.ts'

/** Shows what the server declares. */
export async function checkCapabilities(state: DiagnosisState): Promise<StepOutcome> {
  const { client } = state.known.connection ?? {}
  if (!client) return skipped('There is no connection')
  const discovered = await withinTime(client.discover(), state.stepTimeoutMs, state.signal)
  const { capabilities, serverInfo, instructions } = discovered
  const names = Object.keys(capabilities)
  const problems = [
    ...(names.length === 0
      ? [
          warningProblem(
            'no-capabilities',
            'The server declares no capabilities',
            'Declare tools, resources or prompts: hosts do not ask for what is not declared.',
          ),
        ]
      : []),
    ...(await undeclaredProblems(client, state)),
  ]
  return stepOutcome(names.length > 0 ? names.join(', ') : 'no capabilities', {
    evidence: evidenceOf({
      server: [serverInfo?.name, serverInfo?.version].filter(Boolean).join(' '),
      capabilities: JSON.stringify(capabilities),
      instructions: instructions?.slice(0, 200),
    }),
    problems,
  })
}

async function undeclaredProblems(client: Client, { stepTimeoutMs, signal }: DiagnosisState): Promise<DiagnosisProblem[]> {
  const undeclared = await withinTime(probeUndeclared(client), stepTimeoutMs, signal).catch(() => [])
  return undeclared.map(({ capability, count }) =>
    warningProblem(
      'capability-not-declared',
      `The server lists ${count} ${capability}, but does not declare the capability ${capability}`,
      `Declare ${capability}: hosts do not show what is not declared.`,
    ),
  )
}

/** Fetches all lists. */
export async function checkLists(state: DiagnosisState): Promise<StepOutcome> {
  const { client, warnings = [] } = state.known.connection ?? {}
  if (!client) return skipped('There is no connection')
  const known = warnings.length
  const { inventory, failures } = await readInventory(client, { timeoutMs: state.stepTimeoutMs, signal: state.signal })
  state.signal.throwIfAborted()
  state.known.inventory = inventory
  const { tools, resources, templates, prompts } = inventory
  const counts = {
    tool: tools.length,
    resource: resources.length,
    'resource template': templates.length,
    prompt: prompts.length,
  }
  const summary = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => pluralize(count, name))
  return stepOutcome(summary.join(', ') || 'All lists are empty', {
    evidence: evidenceOf({
      tools: tools
        .map(({ name }) => name)
        .join(', ')
        .slice(0, 400),
    }),
    problems: [
      ...failures.map(listProblem),
      ...warnings.slice(known).map(listWarning),
      ...emptyProblems(inventory.discovered.capabilities, { tools, prompts }),
    ],
  })
}

function listProblem({ method, error }: ListFailure): DiagnosisProblem {
  return errorProblem(
    'list-failed',
    `${method} fails: ${error instanceof Error ? error.message : String(error)}`,
    'The server declares the capability, so it has to answer this request. Look at the log of the server.',
  )
}

function listWarning(message: string): DiagnosisProblem {
  return warningProblem(
    'list-incomplete',
    message,
    'Clients that do not work around it fail. Answer every list of a capability that the server declares, with at least an empty one.',
  )
}

function emptyProblems(capabilities: object, lists: { readonly [capability: string]: readonly unknown[] }): DiagnosisProblem[] {
  return Object.entries(lists)
    .filter(([name, items]) => Object.hasOwn(capabilities, name) && items.length === 0)
    .map(([name]) =>
      warningProblem(
        'list-empty',
        `The server declares ${name}, but lists none`,
        `Check whether the ${name} are registered before the server starts, and whether the user may see them.`,
      ),
    )
}
