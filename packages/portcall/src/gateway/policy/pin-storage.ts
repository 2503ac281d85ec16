import type { KeyValueStore } from '../../stores/store.ts'
import type { PinStorage } from './pin-lock.ts'

const KEY = 'portcall:pins'

/** Opens the storage: a file, or a store that several processes share. */
export function openPinStorage(lock: string | KeyValueStore): PinStorage {
  if (typeof lock !== 'string')
    return {
      read: () => lock.get(KEY),
      replace: (expected, value) => lock.compareAndSet(KEY, { expected, value }),
    }
  // The file system is loaded only if it is used, since not every runtime has one.
  const file = import('./pin-file.ts').then(({ createPinFile }) => createPinFile(lock))
  file.catch(() => {})
  return { read: async () => (await file).read(), replace: async (expected, text) => (await file).replace(expected, text) }
}
