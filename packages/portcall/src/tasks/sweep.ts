import { unref } from '../jsonrpc/waiting.ts'
import type { Store } from '../stores/store.ts'
import type { Ledger, TaskRef } from './ledger.ts'
import type { TaskRecord } from './record.ts'

/** Looks through all unfinished tasks now and then, so that none waits for ever that the engine has lost and that nobody asks after. */
export interface Sweep {
  begin(): void
  end(): void
}

export interface SweepOptions {
  readonly store: Store
  readonly ledger: Ledger
  readonly revive: (ref: TaskRef, record: TaskRecord) => Promise<void>
  /** How often they are looked through, by one of all processes. */
  readonly sweepMs: number
  readonly onError: (error: unknown) => void
}

const SWEPT = 'tasks/swept'
const PAGE = 100

export function createSweep({ store, ledger, revive, sweepMs, onError }: SweepOptions): Sweep {
  let timer: ReturnType<typeof setInterval> | undefined
  let ended = false

  const look = async (ref: TaskRef): Promise<void> => {
    const record = await ledger.read(ref)
    if (record) await revive(ref, record)
  }
  const sweep = async (): Promise<void> => {
    if (!(await store.swap(SWEPT, { expected: undefined, value: '', ttlMs: sweepMs }))) return
    let page: TaskRef[] = []
    do {
      page = await ledger.open({ limit: PAGE, ...(page.length > 0 && { after: page.at(-1) as TaskRef }) })
      for (const ref of page) if (!ended) await look(ref)
    } while (!ended && page.length === PAGE)
  }

  return {
    begin() {
      if (!ended) timer ??= unref(setInterval(() => void sweep().catch(onError), sweepMs))
    },
    end() {
      ended = true
      clearInterval(timer)
    },
  }
}
