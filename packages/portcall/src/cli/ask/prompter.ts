import { createInterface } from 'node:readline/promises'
import { plain } from '../show/plain.ts'

/** Asks whoever sits at the terminal; talks on stderr, so that stdout stays data. */
export interface Prompter {
  /** Shows lines. What a server wrote in them cannot steer the terminal. */
  say(text: string): void
  /** One line of an answer; undefined when the input has ended (Ctrl-D). @throws when the signal is aborted. */
  ask(question: string): Promise<string | undefined>
}

const CLEAR_LINE = '\r\u001b[K'

/** Has a terminal for the time of one conversation. */
export async function withPrompter<T>(signal: AbortSignal, use: (prompter: Prompter) => Promise<T>): Promise<T> {
  const { stdin, stderr } = process
  stderr.write(CLEAR_LINE)
  const lines = createInterface({ input: stdin, output: stderr, terminal: true })
  const ended = new Promise<undefined>((resolve) => lines.once('close', () => resolve(undefined)))
  lines.on('SIGINT', () => process.emit('SIGINT'))
  try {
    return await use({
      say: (text) => void stderr.write(`${plain(text)}\n`),
      ask: (question) => Promise.race([lines.question(`${plain(question)} `, { signal }), ended]),
    })
  } finally {
    lines.close()
  }
}
