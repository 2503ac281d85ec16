import type { FeedPosition } from '../cursor.ts'
import type { FeedEntry } from '../feed.ts'
import type { DeliveryState } from './record.ts'

/**
 * The position up to which this process knows that a subscription receives nothing, besides its stored state. Most events are for few
 * subscriptions: the others need not be read and written for each.
 */
export interface KnownPosition {
  /** The position; `undefined` if it is not known. */
  readonly at: FeedPosition | undefined
  /** The number of entries between the stored position and this one. */
  readonly skipped: number
  /** Sets the position, with the state that is stored. */
  set(state: DeliveryState, at: FeedPosition): void
  /** Moves the position behind an entry. */
  move(entry: FeedEntry, count: number): void
  /** Returns the position if the stored state is the one that was set. */
  atIf(state: DeliveryState | undefined): FeedPosition | undefined
  /** Returns the same, and forgets it. */
  takeIf(state: DeliveryState | undefined): FeedPosition | undefined
  forget(): void
}

/** Creates a position that is not known yet. */
export function createKnownPosition(): KnownPosition {
  let stored: string | undefined
  let at: FeedPosition | undefined
  let skipped = 0
  const atIf = (state: DeliveryState | undefined): FeedPosition | undefined =>
    at && state && JSON.stringify(state) === stored ? at : undefined
  const forget = (): void => {
    at = undefined
    stored = undefined
  }
  return {
    get at() {
      return at
    },
    get skipped() {
      return skipped
    },
    set(state, position) {
      stored = JSON.stringify(state)
      at = position
      skipped = 0
    },
    move({ position }, count) {
      at = { side: 'after', position }
      skipped += count
    },
    atIf,
    takeIf(state) {
      const position = atIf(state)
      forget()
      return position
    },
    forget,
  }
}
