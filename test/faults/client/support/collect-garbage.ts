import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Frees all unreferenced memory of this process. */
export function collectGarbage(): void {
  collect()
  collect()
}
