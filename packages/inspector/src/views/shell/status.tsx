import type { JSX } from 'preact'
import type { InspectorServerStatus } from '../../state/protocol.ts'

const LABELS: { [status in InspectorServerStatus]: string } = {
  idle: 'Not connected',
  connecting: 'Connecting',
  connected: 'Connected',
  failed: 'Failed',
  disconnected: 'Disconnected',
  recording: 'Recording',
}

/** Returns the state of a server in words. */
export const statusLabel = (status: InspectorServerStatus): string => LABELS[status]

/** The state of a server as a mark of its own shape and color, with its name for screen readers. */
export function StatusDot({ status }: { status: InspectorServerStatus }): JSX.Element {
  return <span class={`dot ${status}`} role="img" aria-label={LABELS[status]} title={LABELS[status]} />
}
