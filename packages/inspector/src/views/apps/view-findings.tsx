import type { JSX } from 'preact'
import { MAX_VIEW_HEIGHT } from '../../../../portcall/src/apps/host/stage.ts'
import type { ViewContent } from '../../../../portcall/src/apps/host/types.ts'
import { policyFindings } from '../../../../portcall/src/preview/checks/policy-findings.ts'
import { saveFile } from '../../state/actions.ts'
import { Button, Callout } from '../../ui/basics.tsx'
import { ExternalLink } from '../../ui/external-link.tsx'
import { Json } from '../../ui/json.tsx'
import { Untrusted } from '../../ui/untrusted.tsx'
import type { Counted, ViewRecord } from './view-record.ts'

/** The faults of a view, and what it asked its host for. */
export function ViewFindings({ record }: { record: ViewRecord }): JSX.Element {
  const { refused, errors, height = 0, permissions, messages, context, links, files } = record
  return (
    <div class="stack tight">
      <Policy record={record} />
      {errors.length > 0 && (
        <Callout tone="bad" title="Errors of the view">
          <Lines items={errors.map(timesOf)} />
        </Callout>
      )}
      {height > MAX_VIEW_HEIGHT && (
        <Callout tone="warn" title="The view is too high">
          <p>
            It reports {Math.round(height).toLocaleString('en')} px. Its frame has {MAX_VIEW_HEIGHT.toLocaleString('en')} px, and
            scrolls: show less at once.
          </p>
        </Callout>
      )}
      {refused.length > 0 && (
        <Callout tone="warn" title="Messages that the host does not carry out">
          <Lines items={refused.map(timesOf)} />
        </Callout>
      )}
      {permissions.length > 0 && (
        <Callout title="Browser features that the view asked for">
          <p>{permissions.join(', ')}: the inspector gives none.</p>
        </Callout>
      )}
      {messages.map((message, index) => (
        <Sent key={index} title="Message for the conversation" content={message} />
      ))}
      {context && <Sent title="Data for the model" content={context} />}
      {links.length > 0 && (
        <section class="stack tight">
          <h4>Addresses that the view wants to open</h4>
          <ul class="view-links">
            {links.map((url, index) => (
              <li key={`${index} ${url}`}>
                <ExternalLink url={url} />
              </li>
            ))}
          </ul>
        </section>
      )}
      {files.length > 0 && (
        <section class="stack tight">
          <h4>Files that the view offers</h4>
          <ul class="view-links">
            {files.map(({ name, mimeType, data, uri }, index) => (
              <li key={`${index} ${name}`}>
                <Untrusted text={data ? name : (uri ?? name)} />{' '}
                {data && (
                  <Button kind="quiet" icon="save" onClick={() => saveFile(name, mimeType, data)}>
                    Save
                  </Button>
                )}
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  )
}

/** Blocked by the policy of the view, with the line to add, and entries of the policy that count for nothing. */
function Policy({ record: { blocked, dropped, state } }: { record: ViewRecord }): JSX.Element | null {
  const findings = policyFindings({ violations: blocked, dropped, needsCode: state !== 'ready' })
  if (findings.length === 0) return null
  return (
    <Callout tone={findings.some(({ level }) => level === 'error') ? 'bad' : 'warn'} title="The policy of the view">
      <Lines items={findings.map(({ message, advice }) => `${message}. ${advice}`)} />
    </Callout>
  )
}

const timesOf = ({ text, count }: Counted): string => (count === 1 ? text : `${text} (${count} times)`)

function Lines({ items }: { items: readonly string[] }): JSX.Element {
  return (
    <ul>
      {items.map((text, index) => (
        <li key={`${index} ${text}`}>
          <Untrusted text={text} />
        </li>
      ))}
    </ul>
  )
}

function Sent({ title, content }: { title: string; content: ViewContent }): JSX.Element {
  return (
    <section class="stack tight">
      <h4>{title}</h4>
      <Json value={content} label={title} />
    </section>
  )
}
