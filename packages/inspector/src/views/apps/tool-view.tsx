import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import type { DisplayMode } from '../../../../portcall/src/apps/view/types.ts'
import { failureOf } from '../../state/api.ts'
import type { InspectorFailure, OperationState, Tool } from '../../state/protocol.ts'
import { onLeave } from '../../state/route.ts'
import { Badge, Failure, IconButton } from '../../ui/basics.tsx'
import { Untrusted } from '../../ui/untrusted.tsx'
import { leave } from './leave.ts'
import type { StartedView } from './start-view.ts'
import { ViewControls } from './view-controls.tsx'
import { ViewFindings } from './view-findings.tsx'
import { viewOf } from './view-of.ts'
import { NO_RECORD, type ViewRecord } from './view-record.ts'
import { modesOf, viewSettings, widthOf } from './view-settings.ts'

/** The view of a tool, with the arguments and the result of a call: in a frame of another origin, under the policy that it declares. */
export function ToolView({ tool, operation }: { tool: Tool; operation: OperationState }): JSX.Element {
  const id = useId()
  const element = useRef<HTMLDivElement>(null)
  const shown = useRef<StartedView | undefined>(undefined)
  const record = useSignal<ViewRecord>(NO_RECORD)
  const failure = useSignal<InspectorFailure | undefined>(undefined)
  const mode = useSignal<DisplayMode>('inline')
  const round = useSignal(0)
  const { profile, theme, locale } = viewSettings.value
  const uri = viewOf(tool) ?? ''
  const [page = ''] = uri.split('?', 1)
  const latest = useRef(tool)
  latest.current = tool

  useEffect(() => {
    if (!element.current) return
    const stop = new AbortController()
    const target = document.createElement('div')
    element.current.append(target)
    record.value = NO_RECORD
    failure.value = undefined
    const modes = modesOf(profile)
    mode.value = modes.find((one) => one === viewSettings.value.mode) ?? modes[0] ?? 'inline'
    const start = async (): Promise<void> => {
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
      if (stop.signal.aborted) return void app.close()
      shown.current = app
      if (viewOf(latest.current) !== uri) app.replace(latest.current)
    }
    start().catch((error: unknown) => {
      if (!stop.signal.aborted) failure.value = failureOf(error)
    })
    const end = (): void => {
      stop.abort()
      leave(target, shown.current)
    }
    const stopListening = onLeave(end)
    return () => {
      stopListening()
      end()
      shown.current = undefined
    }
  }, [operation.id, page, profile, locale, round.value])
  // Another revision of the page: somebody edits it.
  useEffect(() => shown.current?.replace(latest.current), [uri])
  useEffect(() => shown.current?.update({ context: { theme } }), [theme])

  const show = (next: DisplayMode): void => {
    mode.value = next
    shown.current?.update({ context: { displayMode: next } })
  }
  return (
    <section class="tool-view" aria-label="View">
      <header class="result-head">
        <h3>View</h3>
        <span class="mono muted">
          <Untrusted text={uri} />
        </span>
        <State record={record.value} isFailed={failure.value !== undefined} />
        {record.value.height !== undefined && <span class="muted">{Math.round(record.value.height)} px high</span>}
      </header>
      <ViewControls id={id} mode={mode.value} onMode={show} onReload={() => round.value++} />
      <div class="view-stage" data-mode={mode.value} data-theme={theme}>
        {mode.value !== 'inline' && (
          <IconButton icon="close" label="Back to inline" class="view-back" onClick={() => show('inline')} />
        )}
        <div ref={element} class="view-frame" style={{ width: widthOf(viewSettings.value) }} />
      </div>
      {failure.value && <Failure failure={failure.value} title="The view is not shown" />}
      <ViewFindings record={record.value} />
    </section>
  )
}

function State({ record, isFailed }: { record: ViewRecord; isFailed: boolean }): JSX.Element {
  if (isFailed || record.hasFailed) return <Badge tone="bad">failed</Badge>
  return <Badge tone={record.state === 'ready' ? 'good' : 'neutral'}>{record.state}</Badge>
}
