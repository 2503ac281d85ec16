/** Calls several servers alternately, in short slices. */
import { openHttp } from './http.mjs'
import { openStdio } from './stdio.mjs'
import { measureAlternately } from './window.mjs'

const OPEN = { http: openHttp, stdio: openStdio }

/**
 * Calls each server for `ms` milliseconds in total.
 *
 * @param {{ transport: 'http' | 'stdio', jobs: object[], ms: number }} job `jobs` for the function that opens the transport
 */
export const runAlternately = ({ transport, jobs, ms }) => measureAlternately(jobs, OPEN[transport], ms)
