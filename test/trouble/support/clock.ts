/** Clocks of other processes, which libfaketime changes while they run. Monotonic clocks stay right, as they do in reality. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs'

/** The file of the Debian package `libfaketime`; `undefined` where it is not installed. */
export const LIBFAKETIME: string | undefined = librariesOf('/usr/lib')
  .concat('/usr/lib/faketime/libfaketimeMT.so.1', '/usr/local/lib/faketime/libfaketimeMT.so.1')
  .find((file) => existsSync(file))

function librariesOf(folder: string): string[] {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('-linux-gnu')) : []
  return names.map((name) => `${folder}/${name}/faketime/libfaketimeMT.so.1`)
}

/** The clock of one process. */
export interface Clock {
  /** The variables that the process needs. */
  readonly env: Readonly<Record<string, string>>
  /** Sets the clock to the right time and `offsetSeconds`. */
  set(offsetSeconds: number): void
}

/** Creates a clock, which `file` sets. */
export function createClock(file: string, offsetSeconds: number): Clock {
  const set = (seconds: number): void => writeFileSync(file, `${seconds < 0 ? '' : '+'}${seconds}\n`)
  set(offsetSeconds)
  const env = {
    LD_PRELOAD: LIBFAKETIME ?? '',
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  }
  return { env, set }
}
