/** The stores of a process that `serve(…, { workers })` has started. Its servers use them unless they have stores of their own. */
import type { Stores } from './stores.ts'

/** A symbol of the whole process, because a program and the CLI may load two copies of this package. */
const SHARED_STORES = Symbol.for('portcall.sharedStores')

interface StoresHolder {
  [SHARED_STORES]?: Omit<Stores, 'close'>
}

const holder = globalThis as StoresHolder

/** Returns the stores that this process shares with others of the same service, if there are any. */
export const sharedStores = (): Omit<Stores, 'close'> | undefined => holder[SHARED_STORES]

/** Sets the stores that servers use which this process creates from now on. */
export function setSharedStores(stores: Omit<Stores, 'close'>): void {
  holder[SHARED_STORES] = stores
}
