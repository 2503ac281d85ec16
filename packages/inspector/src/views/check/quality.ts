import { showFailure } from '../../state/actions.ts'
import { failureOf, send } from '../../state/api.ts'
import type { QualityFinding, QualityReport } from '../../state/protocol.ts'
import { store, upsert } from '../../state/store.ts'

const loading = new Map<string, Promise<void>>()

/** Fetches the quality report of a server. A failure shows only when a person has asked for it. */
export function loadQuality(serverId: string, { isAsked = false } = {}): Promise<void> {
  const running = loading.get(serverId)
  if (running) return running
  const started = send('check-quality', { serverId })
    .then((report: QualityReport) => upsert(store.quality, serverId, report))
    .catch((error) => {
      if (isAsked) showFailure(failureOf(error))
    })
    .finally(() => loading.delete(serverId))
  loading.set(serverId, started)
  return started
}

/** Returns what a tool costs a model, in tokens, if it is known. */
export function tokensOf(serverId: string, toolName: string): number | undefined {
  return store.quality.value.get(serverId)?.tools.find(({ name }) => name === toolName)?.tokens
}

/** Returns the findings at an item. */
export function findingsOf(
  serverId: string,
  kind: 'tools' | 'resources' | 'templates' | 'prompts',
  key: string,
): QualityFinding[] {
  const findings = store.quality.value.get(serverId)?.findings ?? []
  return findings.filter(({ item }) => item?.kind === kind && item.key === key)
}
