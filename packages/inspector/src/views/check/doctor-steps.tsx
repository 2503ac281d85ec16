import type { JSX } from 'preact'
import { formatDuration } from '../../lib/format.ts'
import type { DoctorRun, DoctorStep } from '../../state/protocol.ts'
import { Facts, Failure, Spinner } from '../../ui/basics.tsx'
import { ExternalLink } from '../../ui/external-link.tsx'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { Untrusted } from '../../ui/untrusted.tsx'

const ICONS: { [status in DoctorStep['status']]: IconName | undefined } = {
  pending: 'more',
  running: undefined,
  passed: 'check',
  warning: 'warning',
  failed: 'error',
  skipped: 'more',
}

/** The steps of the doctor, as they run: verdict, evidence, and what to change. */
export function DoctorSteps({ run }: { run: DoctorRun }): JSX.Element {
  return (
    <div class="stack tight">
      {run.failure && <Failure failure={run.failure} />}
      <ol class="doctor-steps" aria-live="polite">
        {run.steps.map((step) => (
          <Step key={step.id} step={step} isFirstFailure={run.firstFailure === step.id} />
        ))}
      </ol>
    </div>
  )
}

/** A step with its verdict. */
export function VerdictIcon({ status }: { status: DoctorStep['status'] }): JSX.Element {
  const icon = ICONS[status]
  return (
    <span class={`verdict ${status}`}>
      {icon ? <Icon name={icon} /> : <Spinner label="Running" />}
      <span class="visually-hidden">{status}</span>
    </span>
  )
}

function Step({ step, isFirstFailure }: { step: DoctorStep; isFirstFailure: boolean }): JSX.Element {
  const { title, status, summary, evidence = [], hint, link, durationMs } = step
  const hasMore = evidence.length > 0 || hint !== undefined || link !== undefined
  const head = (
    <>
      <VerdictIcon status={status} />
      <span class="step-title">{title}</span>
      <span class="step-summary">{summary && <Untrusted text={summary} />}</span>
      <span class="muted step-time">{durationMs !== undefined && formatDuration(durationMs)}</span>
    </>
  )
  if (!hasMore)
    return (
      <li class={`step ${status}`}>
        <div class="step-head">{head}</div>
      </li>
    )
  return (
    <li class={`step ${status}`}>
      <details open={isFirstFailure || status === 'failed'}>
        <summary class="step-head">{head}</summary>
        <div class="step-body stack tight">
          {hint && <p class="hint">{hint}</p>}
          {evidence.length > 0 && (
            <Facts
              items={evidence.map(
                ({ label, value }) =>
                  [
                    label,
                    <code key={label} class="evidence">
                      <Untrusted text={value} />
                    </code>,
                  ] as const,
              )}
            />
          )}
          {link && <ExternalLink url={link}>Read more</ExternalLink>}
        </div>
      </details>
    </li>
  )
}
