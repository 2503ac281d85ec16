import type { ComparisonRow } from 'portcall/diagnostics'
import type { CoreParts } from '../core-parts.ts'
import type { DiffRow, ReplayRun } from '../protocol/sharing.ts'
import type { ManagedServer } from '../servers/managed-server.ts'
import { createRuns } from '../state/runs.ts'

/** The replays of recordings against servers. */
export interface Replays {
  readonly all: readonly ReplayRun[]
  /** Sends the requests of a recording to a connected server. Returns the id of the run. */
  start(server: ManagedServer, recording: { readonly id: string; readonly text: string }): string
  cancel(runId: string): void
  close(): void
}

/** Creates the replays of a back end. */
export function createReplays({ hub }: CoreParts): Replays {
  const runs = new Map<string, ReplayRun>()
  const running = createRuns('replay')
  const update = (id: string, change: Partial<ReplayRun>): void => {
    const before = runs.get(id)
    if (!before) return
    const run = { ...before, ...change }
    runs.set(id, run)
    hub.publish({ type: 'replay', run })
  }
  const replay = async (
    id: string,
    server: ManagedServer,
    { text, signal }: { text: string; signal: AbortSignal },
  ): Promise<void> => {
    const { replayCalls } = await import('portcall/diagnostics')
    let sent = 0
    const differences: DiffRow[] = []
    for await (const event of replayCalls(text, server.connection.client, { signal })) {
      if (event.type === 'finished') return update(id, { status: 'done', total: event.total })
      if (event.type === 'skipped') continue
      differences.push(...event.differences.map(toDiffRow))
      update(id, { sent: ++sent, differences: [...differences] })
    }
  }
  return {
    get all() {
      return [...runs.values()]
    },
    start(server, recording) {
      void server.connection
      const total = recording.text.split('\n').filter(isSentRequest).length
      return running.start((id, signal) => {
        runs.set(id, { id, recordingId: recording.id, serverId: server.id, status: 'running', sent: 0, total, differences: [] })
        update(id, {})
        return replay(id, server, { text: recording.text, signal })
      }, update)
    },
    cancel: running.cancel,
    close: running.close,
  }
}

/** Turns a row of a comparison into one of the protocol. */
export function toDiffRow({ where, pointer, change, before, after, breaking, reason }: ComparisonRow): DiffRow {
  return {
    where,
    pointer,
    change,
    ...(before !== undefined && { before: before as never }),
    ...(after !== undefined && { after: after as never }),
    ...(breaking !== undefined && { breaking }),
    ...(reason !== undefined && { reason }),
  }
}

function isSentRequest(line: string): boolean {
  const at = line.indexOf('"direction":"sent"')
  return at >= 0 && line.includes('"method"', at)
}
