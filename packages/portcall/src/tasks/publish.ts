import type { Call, ExtensionHost } from '../index.ts'
import { invalidParams } from '../protocol/errors.ts'
import type { Ledger } from './ledger.ts'
import { renderDetails } from './render.ts'

/** A ledger whose changes are told to all who listen for them. */
export interface PublishingLedger extends Ledger {
  /** The ids of tasks that a caller may hear of, out of those that it asks for. @throws RpcError -32602 */
  admit(asked: unknown, call: Call): Promise<readonly string[]>
}

const MAX_IDS = 1024

export function createPublishing(ledger: Ledger, { publish }: Pick<ExtensionHost, 'publish'>): PublishingLedger {
  return {
    ...ledger,
    async change(ref, change) {
      let changed = false
      const record = await ledger.change(ref, (before) => {
        const after = change(before)
        changed = after.updatedAt !== before.updatedAt || after.status !== before.status
        return after
      })
      if (record && changed)
        publish({ key: 'taskIds', subject: record.id, method: 'notifications/tasks', params: { ...renderDetails(record) } })
      return record
    },
    async admit(asked, { auth }) {
      if (!Array.isArray(asked) || asked.length > MAX_IDS)
        throw invalidParams(`taskIds has to be an array of at most ${MAX_IDS} ids of tasks`)
      const ids = asked.filter((id): id is string => typeof id === 'string')
      const known = await Promise.all(ids.map(async (id) => await ledger.read(await ledger.refOf(auth?.principal, id))))
      return ids.filter((_, at) => known[at] !== undefined)
    },
  }
}
