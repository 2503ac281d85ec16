import type { JSX } from 'preact'
import { copyText } from '../state/actions.ts'
import { IconButton } from './basics.tsx'
import { Untrusted } from './untrusted.tsx'

/** Matches the tokens of a JSON text: strings (with a colon: names), numbers, and words. */
const TOKEN = /("(?:[^"\\]|\\.)*(?:"|\\?$))(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|\b(true|false|null)\b/g
/** Longer texts are shown in one color. */
const MAX_COLORED = 100_000

/** A JSON text in colors. */
export function JsonText({ text }: { text: string }): JSX.Element {
  if (text.length > MAX_COLORED) return <Untrusted text={text} />
  const parts: (string | JSX.Element)[] = []
  let end = 0
  for (const match of text.matchAll(TOKEN)) {
    const { 0: token, 1: string, 2: colon = '', 3: number, index } = match
    if (index > end) parts.push(text.slice(end, index))
    const kind = string === undefined ? (number === undefined ? 'word' : 'number') : colon ? 'name' : 'string'
    parts.push(
      <span key={index} class={`json-${kind}`}>
        <Untrusted text={string ?? token} />
      </span>,
      colon,
    )
    end = index + token.length
  }
  parts.push(text.slice(end))
  return <>{parts}</>
}

interface CodeProps {
  readonly text: string
  readonly label: string
  readonly language?: 'json' | 'text'
  readonly wrap?: boolean
  readonly copy?: boolean
}

/** A block of code or text from a server, which can be scrolled by keyboard and copied. */
export function Code({ text, label, language = 'json', wrap = false, copy = true }: CodeProps): JSX.Element {
  return (
    <div class="code-block">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a block that scrolls has to be reachable by keyboard */}
      <section class={`code ${wrap ? 'wrap' : ''}`} tabIndex={0} aria-label={label}>
        <pre>{language === 'json' ? <JsonText text={text} /> : <Untrusted text={text} />}</pre>
      </section>
      {copy && <IconButton icon="copy" label={`Copy ${label}`} class="code-copy" onClick={() => void copyText(text)} />}
    </div>
  )
}

/** A JSON value in colors. */
export function Json({ value, label }: { value: unknown; label: string }): JSX.Element {
  return <Code text={value === undefined ? '' : JSON.stringify(value, null, 2)} label={label} />
}
