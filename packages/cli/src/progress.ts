import type { Progress } from 'portcall/client'
import { sanitizeLine } from '../../util/src/printable.ts'
import type { Io } from './io.ts'

/** A progress bar on stderr. */
export interface ProgressBar {
  /** The option for the call; `undefined` if stderr is not a terminal, so that the server is not asked for progress. */
  readonly onProgress: ((progress: Progress) => void) | undefined
  /** Removes the bar. */
  clear(): void
}

const CLEAR_LINE = '\r\u001b[K'
const BAR_WIDTH = 24
const MAX_MESSAGE_LENGTH = 60

export function createProgressBar({ isTty, draw }: Pick<Io, 'isTty' | 'draw'>): ProgressBar {
  let isDrawn = false
  return {
    onProgress: isTty
      ? (progress) => {
          isDrawn = true
          draw(`${CLEAR_LINE}${formatProgress(progress)}`)
        }
      : undefined,
    clear() {
      if (isDrawn) draw(CLEAR_LINE)
      isDrawn = false
    },
  }
}

function formatProgress({ progress, total, message }: Progress): string {
  const suffix = typeof message === 'string' ? ` ${sanitizeLine(message.slice(0, MAX_MESSAGE_LENGTH))}` : ''
  if (typeof total !== 'number' || !(total > 0)) return `${progress}${suffix}`
  const share = Math.min(1, Math.max(0, progress / total))
  const filled = Math.round(share * BAR_WIDTH)
  return `[${'#'.repeat(filled)}${'-'.repeat(BAR_WIDTH - filled)}] ${Math.round(share * 100)} %${suffix}`
}
