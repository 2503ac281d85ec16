import { availableParallelism } from 'node:os'

const MAX_WORKERS = 1024

/** Returns the number of processes that the option `workers` means. @throws TypeError if it is invalid. */
export function countWorkers(workers: number | 'auto' = 1): number {
  if (workers === 'auto') return availableParallelism()
  if (Number.isInteger(workers) && workers >= 1 && workers <= MAX_WORKERS) return workers
  throw new TypeError(`workers must be 'auto' or a number from 1 to ${MAX_WORKERS}, not ${workers}`)
}
