import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { formatDuration } from '../../lib/format.ts'
import { run } from '../../state/actions.ts'
import type { HttpEntry } from '../../state/protocol.ts'
import { Badge, Empty } from '../../ui/basics.tsx'
import { Code } from '../../ui/json.tsx'
import { Untrusted } from '../../ui/untrusted.tsx'

/** An HTTP exchange: both heads, and the body where it holds no message. Secrets show on a click. */
export function HttpView({ http }: { http: HttpEntry | undefined }): JSX.Element {
  if (!http)
    return (
      <Empty icon="server" title="No HTTP">
        This message crossed no HTTP connection.
      </Empty>
    )
  const times = [
    http.headMs !== undefined && `head after ${formatDuration(http.headMs)}`,
    http.durationMs !== undefined && `end after ${formatDuration(http.durationMs)}`,
  ]
  return (
    <div class="stack">
      <div class="stack tight">
        <p class="mono http-line">
          {http.method} <Untrusted text={http.url} />
        </p>
        <Headers http={http} side="request" headers={http.requestHeaders} />
      </div>
      <div class="stack tight">
        <p class="mono http-line">
          {http.status === undefined ? (
            <span class="muted">{http.state === 'pending' ? 'no response yet' : 'no response'}</span>
          ) : (
            <Badge tone={http.status >= 400 ? 'bad' : 'good'}>{http.status}</Badge>
          )}{' '}
          <span class="muted">{times.filter(Boolean).join(', ')}</span>
        </p>
        {http.state === 'cancelled' && <p class="muted">The client closed the connection.</p>}
        {http.failure && (
          <p class="bad-text">
            <Untrusted text={http.failure} />
          </p>
        )}
        {http.responseHeaders && <Headers http={http} side="response" headers={http.responseHeaders} />}
        {http.bodyText && <Code text={http.bodyText} label="body" language="text" wrap />}
      </div>
    </div>
  )
}

interface HeadersProps {
  readonly http: HttpEntry
  readonly side: 'request' | 'response'
  readonly headers: Readonly<Record<string, string>>
}

function Headers({ http, side, headers }: HeadersProps): JSX.Element {
  return (
    <dl class="headers">
      {Object.entries(headers).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {value.includes('••••') ? <Secret http={http} side={side} name={name} masked={value} /> : <Untrusted text={value} />}
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Secret({
  http,
  side,
  name,
  masked,
}: {
  http: HttpEntry
  side: 'request' | 'response'
  name: string
  masked: string
}): JSX.Element {
  const value = useSignal<string | undefined>(undefined)
  const toggle = async (): Promise<void> => {
    if (value.value !== undefined) value.value = undefined
    else value.value = (await run('reveal', { entryId: http.id, header: name, side }))?.value
  }
  return (
    <>
      {value.value ?? masked}{' '}
      <button
        type="button"
        class="chip"
        onClick={() => void toggle()}
        aria-label={`${value.value === undefined ? 'Show' : 'Hide'} ${name}`}
      >
        {value.value === undefined ? 'show' : 'hide'}
      </button>
    </>
  )
}
