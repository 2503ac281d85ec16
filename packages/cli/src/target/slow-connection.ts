import { type ClientEvent, TimeoutError } from 'portcall/client'
import { appendToMessage } from '../../../util/src/errors.ts'
import { sanitizeLine } from '../../../util/src/printable.ts'
import { adviceForOutput } from '../../../util/src/served-url.ts'
import type { Io } from '../io.ts'

/** Facts about a connection that takes long to open. */
export interface SlowConnection {
  onStderr(text: string): void
  onEvent(event: ClientEvent): void
  /** Adds what the program has printed to the error of a connection that timed out. */
  explain(error: unknown): void
  /** The connection is open, or has failed. */
  end(): void
}

const SLOW_MS = 5000
const MAX_LENGTH = 300

/**
 * Says after a few seconds that there is no connection yet, and what the program has printed: on a terminal, and elsewhere if the program seems
 * to serve HTTP.
 */
export function watchConnection(name: string, { isTty, json, log }: Pick<Io, 'isTty' | 'json' | 'log'>): SlowConnection {
  let [stderr, stdout] = ['', '']
  let isOpening = true
  const listOutput = (): string[] => [
    ...(stdout === '' ? [] : [`It has printed to stdout, where only messages are allowed: ${shorten(stdout)}`]),
    ...(stderr === '' ? [] : [`It has printed to stderr: ${shorten(stderr)}`]),
  ]
  const timer = setTimeout(() => {
    const advice = adviceForOutput(`${stdout}\n${stderr}`)
    if (json || (!isTty && advice === '')) return
    for (const line of [`Still waiting for ${name} to respond …`, ...listOutput(), advice]) if (line !== '') log(line)
  }, SLOW_MS)
  return {
    onStderr(text) {
      if (isOpening) stderr = (stderr + text).slice(-MAX_LENGTH)
    },
    onEvent(event) {
      if (isOpening && event.type === 'unexpected-message') stdout = event.text
    },
    explain(error) {
      if (!(error instanceof TimeoutError) || stderr === '') return
      // The library has added what the program printed to stdout.
      const advice = adviceForOutput(stderr)
      appendToMessage(error, `${advice === '' ? '' : `. ${advice}`}. The server printed this to stderr: ${shorten(stderr)}`)
    },
    end() {
      isOpening = false
      clearTimeout(timer)
    },
  }
}

function shorten(text: string): string {
  return sanitizeLine(text.trimEnd().slice(-MAX_LENGTH).trimStart())
}
