/** How long to wait before the next try, in milliseconds: twice as long each time up to half a minute, and never the same for all. */
export function backoffMs(failures: number): number {
  const most = Math.min(30_000, 250 * 2 ** Math.min(failures, 10))
  return most / 2 + (Math.random() * most) / 2
}
