import type { Finding } from './finding.ts'
import { type ExceededLimit, exceededLimits } from './host-verdicts.ts'
import type { ServerInventory } from './inventory.ts'

/** The limits that depend on the model, or on the name that the server has in the host. They are always warnings. */
const UNCERTAIN: ReadonlySet<string> = new Set<ExceededLimit['kind']>(['name', 'description'])

/** Reports each limit that a tool exceeds once, with all hosts that have it. An error if one of them refuses the tool. */
export function hostFindings(inventory: ServerInventory): Finding[] {
  const groups = new Map<string, ExceededLimit[]>()
  for (const limit of exceededLimits(inventory)) {
    // A tool may have several forms that are refused.
    const key = JSON.stringify([limit.kind, limit.tool, limit.kind === 'shape' ? limit.message : ''])
    groups.set(key, [...(groups.get(key) ?? []), limit])
  }
  return [...groups.values()].flatMap(toFinding)
}

function toFinding(limits: readonly ExceededLimit[]): Finding[] {
  const [strictest] = [...limits].sort((a, b) => (a.most ?? 0) - (b.most ?? 0))
  if (!strictest) return []
  const { kind, tool, rule, message, advice } = strictest
  const isError = !UNCERTAIN.has(kind) && limits.some(({ effect }) => effect === 'refuses')
  return [
    {
      level: isError ? 'error' : 'warning',
      rule,
      advice,
      where: tool === undefined ? 'server' : `tool ${tool}`,
      message,
      hosts: limits.map(({ host }) => host),
    },
  ]
}
