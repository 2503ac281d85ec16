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
export const runAlternately = ({ transport, jobs, ms }) => measureAlternately(jobs, OPEN[transport], ms)
