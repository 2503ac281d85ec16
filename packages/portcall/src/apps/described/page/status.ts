/** The line that says what has happened. */
import { h } from './dom.ts'

/** The tone of a message. */
export type StatusTone = 'done' | 'failed' | 'quiet'

/** A place for messages. Screen readers read them. */
export interface StatusLine {
  readonly element: HTMLElement
  /** Shows a message in the place of the one before. An empty text shows none. */
  say(tone: StatusTone, text: string): void
}

/** Creates the place for messages. */
export function createStatus(): StatusLine {
  const element = h('div', { role: 'status', class: 'status' })
  return {
    element,
    say(tone, text) {
      element.className = `status ${tone}`
      element.textContent = text
    },
  }
}

/** Returns the text of the blocks of a result. */
export function textOfContent(content: readonly unknown[]): string {
  return content
    .map((block) => (block as { text?: unknown } | null)?.text)
    .filter((text) => typeof text === 'string')
    .join('\n')
}
