import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import type { ShownApp } from '../../../../portcall/src/apps/host/show.ts'
import type { DisplayMode } from '../../../../portcall/src/apps/view/types.ts'
import { readToolView } from '../../../../portcall/src/protocol/apps.ts'
import { failureOf } from '../../state/api.ts'
import type { InspectorFailure, OperationState, Tool } from '../../state/protocol.ts'
import { Badge, Failure, IconButton } from '../../ui/basics.tsx'
import { Untrusted } from '../../ui/untrusted.tsx'
import { ViewControls } from './view-controls.tsx'
import { ViewFindings } from './view-findings.tsx'
import { NO_RECORD, type ViewRecord } from './view-record.ts'
import { modesOf, viewSettings } from './view-settings.ts'

/** Returns the URI of the view of a tool, if it has one. */
export const viewOf = (tool: Tool): string | undefined => readToolView(tool as never).resourceUri

/** The view of a tool, with the arguments and the result of a call: in a frame of another origin, under the policy that it declares. */
export function ToolView({ tool, operation }: { tool: Tool; operation: OperationState }): JSX.Element | null {
  const id = useId()
  const element = useRef<HTMLDivElement>(null)
  const shown = useRef<ShownApp | undefined>(undefined)
  const record = useSignal<ViewRecord>(NO_RECORD)
  const failure = useSignal<InspectorFailure | undefined>(undefined)
  const mode = useSignal<DisplayMode>('inline')
  const round = useSignal(0)
  const { profile, theme, width, locale } = viewSettings.value
  const isDone = operation.status === 'done'

  useEffect(() => {
    if (!isDone || !element.current) return
    const stop = new AbortController()
    record.value = NO_RECORD
    failure.value = undefined
    const modes = modesOf(profile)
    mode.value = modes[0] ?? 'inline'
    const fail = (error: unknown): void => {
      if (!stop.signal.aborted) failure.value = failureOf(error)
    }
    const start = async (target: HTMLElement): Promise<void> => {
      const { startView } = await import('./start-view.ts')
      stop.signal.throwIfAborted()
      const options = {
        element: target,
        tool,
        operation,
        profile: profile === '' ? undefined : profile,
        context: { theme, locale, displayMode: mode.value, availableDisplayModes: [...modes] },
        onRecord: (next: ViewRecord): void => void (record.value = next),
        onDisplayMode: (wanted: DisplayMode): DisplayMode => (modes.includes(wanted) ? (mode.value = wanted) : mode.value),
      }
      const app = await startView(options, stop.signal)
      shown.current = app
      stop.signal.addEventListener('abort', () => void app.close(), { once: true })
      await app.ready
    }
    start(element.current).catch(fail)
    return () => stop.abort()
  }, [operation.id, isDone, profile, locale, round.value])
  useEffect(() => shown.current?.update({ context: { theme } }), [theme])

  const show = (next: DisplayMode): void => {
    mode.value = next
    shown.current?.update({ context: { displayMode: next } })
  }
  if (!isDone) return null
  return (
    <section class="tool-view" aria-label="View">
      <header class="result-head">
        <h3>View</h3>
        <span class="mono muted">
          <Untrusted text={viewOf(tool) ?? ''} />
        </span>
        <Badge tone={failure.value ? 'bad' : record.value.state === 'ready' ? 'good' : 'neutral'}>
          {failure.value ? 'failed' : record.value.state}
        </Badge>
        {record.value.height !== undefined && <span class="muted">{Math.round(record.value.height)} px high</span>}
      </header>
      <ViewControls id={id} mode={mode.value} onMode={show} onReload={() => round.value++} />
      <div class="view-stage" data-mode={mode.value} data-theme={theme}>
        {mode.value !== 'inline' && (
          <IconButton icon="close" label="Back to inline" class="view-back" onClick={() => show('inline')} />
        )}
        <div ref={element} class="view-frame" style={{ width: width === 0 ? '100%' : `${width}px` }} />
      </div>
      {failure.value && <Failure failure={failure.value} title="The view is not shown" />}
      <ViewFindings record={record.value} />
    </section>
  )
}
