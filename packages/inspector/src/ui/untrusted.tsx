import type { JSX } from 'preact'
import { splitHidden } from '../lib/hidden-characters.ts'

/** Text from a server: never markup, and with its hidden characters made visible. */
export function Untrusted({ text }: { text: string }): JSX.Element {
  const parts = splitHidden(text)
  if (parts.length <= 1 && (parts[0] === undefined || 'text' in parts[0])) return <>{text}</>
  return (
    <bdi>
      {parts.map((part, index) =>
        'text' in part ? (
          part.text
        ) : (
          <span key={`${index} ${part.hidden}`} class="hidden-character" title={`${part.name} (${part.hidden})`}>
            {part.hidden}
          </span>
        ),
      )}
    </bdi>
  )
}

/** The description of something that a server offers, if it has one. */
export function Description({ text }: { text: string | undefined }): JSX.Element | null {
  if (!text) return null
  return (
    <p class="description">
      <Untrusted text={text} />
    </p>
  )
}
