import { checkOptions } from '../../../../util/src/check-options.ts'
import { lazyStore } from '../../stores/lazy-store.ts'
import type { KeyValueStore } from '../../stores/store.ts'

/**
 * Creates a store in a file, for the tokens of one user. Only the owner can read the file, writes are atomic, and a lock file lets several
 * processes share it. The file is read for each operation, so the store is suitable for a few entries only.
 *
 * @throws TypeError when the path is not a text.
 */
export function fileStore(path: string): KeyValueStore {
  checkOptions(
    'fileStore()',
    { path },
    { names: { path: 'nonempty' }, required: { path: "Pass the path of a file: fileStore('tokens.json')" } },
  )
  let store: Promise<KeyValueStore> | undefined
  return lazyStore(() => (store ??= import('./node/file-store.ts').then(({ createFileStore }) => createFileStore(path))))
}
