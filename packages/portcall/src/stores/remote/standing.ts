import { createPauses, rest } from './pauses.ts'
import { createSlot, type Slot, type SlotOptions } from './slot.ts'

export interface StandingOptions<C> extends SlotOptions<C> {
  /** Whether there is a use for the connection now. */
  isWanted(): boolean
}

/** A slot whose connection comes back by itself as long as it is wanted. */
export interface Standing<C> extends Slot<C> {
  /** Ends the connection for good. */
  close(): void
}

const FIRST_PAUSE_MS = 100

export function createStanding<C>(options: StandingOptions<C>): Standing<C> {
  const ended = new AbortController()
  let returning = false

  const comeBack = async (): Promise<void> => {
    returning = true
    const pauses = createPauses(FIRST_PAUSE_MS)
    while (!ended.signal.aborted && !slot.open && options.isWanted()) {
      await rest(pauses(), ended.signal)
      if (!ended.signal.aborted) await slot.get().catch(() => {})
    }
    returning = false
  }
  const slot = createSlot<C>({
    ...options,
    onGone() {
      options.onGone?.()
      if (!returning) void comeBack()
    },
  })

  return {
    get open() {
      return slot.open
    },
    get: slot.get,
    drop: slot.drop,
    close() {
      ended.abort()
      slot.drop()
    },
  }
}
