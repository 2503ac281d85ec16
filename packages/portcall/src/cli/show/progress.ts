import type { Progress } from '../../client.ts'
import type { Io } from '../io.ts'
import { plainLine } from './plain.ts'

/** Shows how far a call is. */
export interface ProgressLine {
  /** To be given to a call; undefined where nothing moves, so that the server is not asked for progress. */
  readonly onProgress: ((progress: Progress) => void) | undefined
  /** Takes the line away. */
  clear(): void
}

const CLEAR_LINE = '\r\u001b[K'
const BAR = 24
const MAX_MESSAGE = 60

/** Makes a line of progress on stderr: a bar on a terminal, nothing in a pipe. */
export function createProgressLine({ lively, draw }: Pick<Io, 'lively' | 'draw'>): ProgressLine {
  let drawn = false
  return {
    onProgress: lively
      ? (progress) => {
          drawn = true
          draw(`${CLEAR_LINE}${lineOf(progress)}`)
        }
      : undefined,
    clear() {
      if (drawn) draw(CLEAR_LINE)
      drawn = false
    },
  }
}

/** One line for how far it is: a bar when the end is known. */
export function lineOf({ progress, total, message }: Progress): string {
  const said = typeof message === 'string' ? ` ${plainLine(message).slice(0, MAX_MESSAGE)}` : ''
  if (typeof total !== 'number' || !(total > 0)) return `${progress}${said}`
  const share = Math.min(1, Math.max(0, progress / total))
  const full = Math.round(share * BAR)
  return `[${'#'.repeat(full)}${'-'.repeat(BAR - full)}] ${Math.round(share * 100)} %${said}`
}
