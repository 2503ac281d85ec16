import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Frees all memory of this process that nobody holds on to. */
export function collectGarbage(): void {
  collect()
  collect()
}
