import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { formatDuration } from '../../lib/format.ts'
import { run } from '../../state/actions.ts'
import type { OAuthCheck, OAuthExchange, OAuthStep } from '../../state/protocol.ts'
import { Badge, Fold } from '../../ui/basics.tsx'
import { ExternalLink } from '../../ui/external-link.tsx'
import { Json } from '../../ui/json.tsx'
import { Untrusted } from '../../ui/untrusted.tsx'
import { VerdictIcon } from '../check/doctor-steps.tsx'

/** A step of the flow: what was decided, the rules, the exchanges, and the claims of its tokens. */
export function StepView({ flowId, step }: { flowId: string; step: OAuthStep }): JSX.Element {
  const { title, status, summary, checks, exchanges, claims = [], durationMs } = step
  return (
    <section class="stack" aria-label={title}>
      <header class="stack tight">
        <h3 class="detail-title">
          <VerdictIcon status={status} />
          {title}
          {durationMs !== undefined && <span class="muted small-text">{formatDuration(durationMs)}</span>}
        </h3>
        {summary && (
          <p>
            <Untrusted text={summary} />
          </p>
        )}
      </header>
      {checks.length > 0 && <Checks checks={checks} />}
      {exchanges.map((exchange, index) => (
        <Exchange key={index} flowId={flowId} exchange={exchange} />
      ))}
      {claims.map(({ label, header, payload }) => (
        <Fold key={label} title={`Claims of the ${label}`} open>
          <Json value={{ header, payload }} label={`claims of the ${label}`} />
        </Fold>
      ))}
      {status === 'pending' && <p class="muted">This step has not run yet.</p>}
    </section>
  )
}

function Checks({ checks }: { checks: readonly OAuthCheck[] }): JSX.Element {
  return (
    <ul class="oauth-checks">
      {checks.map(({ rule, status, message, section, link }) => (
        <li key={`${rule} ${message}`}>
          <VerdictIcon status={status} />
          <span>
            <Untrusted text={message} />
          </span>
          <ExternalLink url={link}>{section}</ExternalLink>
        </li>
      ))}
    </ul>
  )
}

function Exchange({ flowId, exchange }: { flowId: string; exchange: OAuthExchange }): JSX.Element {
  const { method, url, requestHeaders, requestBody, status, responseHeaders, responseBody, failure, durationMs } = exchange
  return (
    <article class="exchange">
      <p class="mono exchange-line">
        <span>{method}</span>
        <span>
          <Masked flowId={flowId} text={url} />
        </span>
        {status !== undefined && <Badge tone={status >= 400 ? 'bad' : 'good'}>{status}</Badge>}
        {durationMs !== undefined && <span class="muted">{formatDuration(durationMs)}</span>}
      </p>
      {failure && (
        <p class="bad-text">
          <Untrusted text={failure} />
        </p>
      )}
      <Fold title="Request">
        <Part flowId={flowId} headers={requestHeaders} body={requestBody} />
      </Fold>
      {status !== undefined && (
        <Fold title="Response" open>
          <Part flowId={flowId} headers={responseHeaders ?? {}} body={responseBody} />
        </Fold>
      )}
    </article>
  )
}

function Part({
  flowId,
  headers,
  body,
}: {
  flowId: string
  headers: Readonly<Record<string, string>>
  body: string | undefined
}): JSX.Element {
  return (
    <div class="stack tight">
      <dl class="headers">
        {Object.entries(headers).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <Masked flowId={flowId} text={value} />
            </dd>
          </div>
        ))}
      </dl>
      {body && (
        <pre class="code wrap">
          <Masked flowId={flowId} text={body} />
        </pre>
      )}
    </div>
  )
}

const PLACEHOLDER = /(••••\d+)/

/** A text whose secrets show on a click. */
function Masked({ flowId, text }: { flowId: string; text: string }): JSX.Element {
  return (
    <>
      {text.split(PLACEHOLDER).map((part, index) => {
        const key = `${index} ${part}`
        return PLACEHOLDER.test(part) ? (
          <Secret key={key} flowId={flowId} placeholder={part} />
        ) : (
          <Untrusted key={key} text={part} />
        )
      })}
    </>
  )
}

function Secret({ flowId, placeholder }: { flowId: string; placeholder: string }): JSX.Element {
  const value = useSignal<string | undefined>(undefined)
  const toggle = async (): Promise<void> => {
    if (value.value !== undefined) value.value = undefined
    else value.value = (await run('reveal', { flowId, placeholder }))?.value
  }
  return (
    <button type="button" class="secret" onClick={() => void toggle()}>
      <span class="visually-hidden">{value.value === undefined ? 'Show the secret' : 'Hide the secret'}</span>{' '}
      {value.value ?? placeholder}
    </button>
  )
}
