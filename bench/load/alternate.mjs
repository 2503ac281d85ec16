/** Several servers that are called in turn, each for a moment at a time. */
import { openHttp } from './http.mjs'
import { openStdio } from './stdio.mjs'
import { measureAlternately } from './window.mjs'

const OPEN = { http: openHttp, stdio: openStdio }

/**
 * Calls each server for so many milliseconds in all.
 *
 * @param {{ transport: 'http' | 'stdio', jobs: object[], ms: number }} job `jobs` of what opens that transport
 */
export async function runAlternately({ transport, jobs, ms }) {
  const opened = await Promise.all(jobs.map(OPEN[transport]))
  try {
    return await measureAlternately(
      opened.map(({ keepBusy }, nth) => ({ pid: jobs[nth].pid, keepBusy })),
      ms,
    )
  } finally {
    for (const { close } of opened) close()
  }
}
