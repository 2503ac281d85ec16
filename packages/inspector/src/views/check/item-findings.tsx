import type { JSX } from 'preact'
import type { InventoryKind } from '../../state/protocol.ts'
import { Badge, Fold } from '../../ui/basics.tsx'
import { Untrusted } from '../../ui/untrusted.tsx'
import { findingsOf } from './quality.ts'

interface ItemFindingsProps {
  readonly serverId: string
  readonly kind: Exclude<InventoryKind, 'tasks' | 'skills' | 'events'>
  readonly name: string
}

/** The findings of the check about an item, behind their count: advice for the author of the server, which users of the server can ignore. */
export function ItemFindings({ serverId, kind, name }: ItemFindingsProps): JSX.Element | null {
  const findings = findingsOf(serverId, kind, name)
  if (findings.length === 0) return null
  const isError = findings.some(({ level }) => level === 'error')
  return (
    <Fold title="Advice for the author of the server" extra={<Badge tone={isError ? 'bad' : 'neutral'}>{findings.length}</Badge>}>
      <ul class="plain-list">
        {findings.map(({ rule, message }) => (
          <li key={`${rule} ${message}`}>
            <Untrusted text={message} /> <span class="facts">{rule}</span>
          </li>
        ))}
      </ul>
    </Fold>
  )
}
