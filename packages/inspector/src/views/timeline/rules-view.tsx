import type { JSX } from 'preact'
import type { RuleViolation } from '../../state/protocol.ts'
import { Callout } from '../../ui/basics.tsx'
import { ExternalLink } from '../../ui/external-link.tsx'
import { Untrusted } from '../../ui/untrusted.tsx'

/** The rules of the specification that a message breaks. */
export function RulesView({ violations }: { violations: readonly RuleViolation[] }): JSX.Element {
  if (violations.length === 0) return <Callout tone="good" title="It breaks none of the rules that are checked." />
  return (
    <ul class="stack tight">
      {violations.map(({ rule, level, message, link, pointer }) => (
        <li key={`${rule} ${pointer}`}>
          <Callout tone={level === 'error' ? 'bad' : 'warn'} title={rule}>
            <p>
              <Untrusted text={message} />
            </p>
            <p class="facts">
              {pointer} <ExternalLink url={link}>Specification</ExternalLink>
            </p>
          </Callout>
        </li>
      ))}
    </ul>
  )
}
