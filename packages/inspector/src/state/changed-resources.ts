import { store } from './store.ts'

/** Returns the addresses of a server's resources that have changed since they were read the last time, as far as subscriptions say. */
export function changedResources(serverId: string): ReadonlySet<string> {
  const changedAt = new Map<unknown, number>()
  const readAt = new Map<unknown, number>()
  const later = (times: Map<unknown, number>, uri: unknown, time: number): void =>
    void times.set(uri, Math.max(time, times.get(uri) ?? 0))
  for (const operation of store.operations.value.values()) {
    if (operation.serverId !== serverId) continue
    const { request, updates = [], startedAt } = operation
    if (request.type === 'read-resource') later(readAt, request.uri, startedAt)
    for (const { time, value } of updates) if (value['type'] === 'resource') later(changedAt, value['uri'], time)
  }
  return new Set([...changedAt].filter(([uri, time]) => time > (readAt.get(uri) ?? 0)).map(([uri]) => String(uri)))
}
