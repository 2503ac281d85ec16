import type { JSX } from 'preact'
import type { MessageDetail, TranslationChange } from '../../state/protocol.ts'
import { Badge, Callout, type Tone } from '../../ui/basics.tsx'
import { Json } from '../../ui/json.tsx'
import { Untrusted } from '../../ui/untrusted.tsx'

/** The message on the wire next to its form in the newest revision, and what differs. */
export function TranslationView({ detail: { value, newest, changes, note } }: { detail: MessageDetail }): JSX.Element {
  if (!newest) return <Callout title="It has no form in the newest revision.">{note && <p>{note}</p>}</Callout>
  if (changes.length === 0)
    return (
      <div class="stack tight">
        <Callout tone="good" title="It is the same in the newest revision." />
        <Json value={newest} label="newest form" />
      </div>
    )
  return (
    <div class="stack">
      <Changes changes={changes} />
      {changes.some(({ kind, pointer }) => kind === 'wrapped' && /\/(?:structuredContent|outputSchema)$/.test(pointer)) && (
        <p class="muted small-text">
          This revision allows only objects in structured content, so servers wrap other values as {'{ "result": … }'}, and say so
          in the output schema. An object that the server means as it is looks the same.
        </p>
      )}
      <div class="side-by-side">
        <figure>
          <figcaption>On the wire</figcaption>
          <Json value={value} label="message on the wire" />
        </figure>
        <figure>
          <figcaption>Newest revision</figcaption>
          <Json value={newest} label="message in the newest revision" />
        </figure>
      </div>
    </div>
  )
}

const TONES: { [kind in TranslationChange['kind']]: Tone } = {
  dropped: 'bad',
  wrapped: 'warn',
  renamed: 'accent',
  added: 'good',
  changed: 'neutral',
}

function Changes({ changes }: { changes: readonly TranslationChange[] }): JSX.Element {
  return (
    <table class="table">
      <thead>
        <tr>
          <th scope="col">Change</th>
          <th scope="col">Member</th>
          <th scope="col">On the wire</th>
          <th scope="col">Newest</th>
        </tr>
      </thead>
      <tbody>
        {changes.map(({ kind, pointer, wire, newest }) => (
          <tr key={`${kind} ${pointer}`}>
            <td>
              <Badge tone={TONES[kind]}>{kind}</Badge>
            </td>
            <td class="mono">
              <Untrusted text={pointer} />
            </td>
            <td class="mono">{short(wire)}</td>
            <td class="mono">{short(newest)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const MAX_SHORT = 120

function short(value: unknown): JSX.Element | null {
  if (value === undefined) return null
  const text = JSON.stringify(value)
  return <Untrusted text={text.length > MAX_SHORT ? `${text.slice(0, MAX_SHORT)}…` : text} />
}
