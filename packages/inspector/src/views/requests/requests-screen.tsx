import type { JSX } from 'preact'
import { JsonEditor } from '../../editor/json-editor.tsx'
import { formatDuration, formatTime } from '../../lib/format.ts'
import { isObject } from '../../schema/schema.ts'
import { jsonText, parseText } from '../../schema/value.ts'
import { operate } from '../../state/actions.ts'
import type { InspectorServer, OperationOptions, OperationState } from '../../state/protocol.ts'
import { lastOperation, store } from '../../state/store.ts'
import { Badge, Button, Empty } from '../../ui/basics.tsx'
import { Untrusted } from '../../ui/untrusted.tsx'
import { OperationResult } from '../results/operation-result.tsx'
import { useCurrentOperation } from '../shell/current-operation.ts'
import { CopyAs } from '../tools/copy-as.tsx'
import { methodsFor, modeOf, modesFor, type RequestDraft, requestDraft, requestOf } from './request-draft.ts'

const isRaw = ({ request }: OperationState): boolean => request.type === 'request' || request.type === 'notify'

/** Raw messages: any method with any params, edited and sent again, once or many times. */
export function RequestsScreen({ server }: { server: InspectorServer }): JSX.Element {
  const draft = requestDraft(server.id)
  const { method, params, count, perSecond, concurrency } = draft.value
  const modes = modesFor(server)
  const mode = modes.some(({ id }) => id === draft.value.mode) ? draft.value.mode : 'request'
  const set = (change: Partial<typeof draft.value>): void => {
    draft.value = { ...draft.value, ...change }
  }
  const parsed = parseText(params)
  const isValid = method.trim() !== '' && parsed.ok && (parsed.value === undefined || isObject(parsed.value))
  const value = parsed.ok && isObject(parsed.value) ? parsed.value : undefined
  const request = requestOf(server, mode, { method: method.trim(), ...(value && { params: value }) })
  const options: OperationOptions =
    count > 1
      ? {
          repeat: {
            count,
            ...(Number(perSecond) > 0 && { perSecond: Number(perSecond) }),
            ...(concurrency > 1 && { concurrency }),
          },
        }
      : {}
  const operation = lastOperation(server.id, isRaw)
  useCurrentOperation(operation?.id)
  const send = (): void => {
    if (isValid && server.status === 'connected') void operate(server.id, request, options)
  }
  return (
    <div class="columns">
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          send()
        }}
      >
        <h2>Raw request</h2>
        <div class="method-line">
          <select
            aria-label="Send as"
            value={mode}
            onChange={(event) => set({ mode: modes.find(({ id }) => id === event.currentTarget.value)?.id ?? 'request' })}
          >
            {modes.map(({ id, label }) => (
              <option key={id} value={id}>
                {label}
              </option>
            ))}
          </select>
          <input
            class="mono"
            aria-label="Method"
            list="methods"
            value={method}
            spellcheck={false}
            onInput={(event) => set({ method: event.currentTarget.value })}
          />
          <datalist id="methods">
            {methodsFor(server, mode).map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </div>
        <div class="labeled">
          <span>Params</span>
          <JsonEditor text={params} onChange={(next) => set({ params: next })} label="Params as JSON" onSubmit={send} />
        </div>
        {parsed.ok && parsed.value !== undefined && !isObject(parsed.value) && <p class="bad-text">Params are an object.</p>}
        <div class="repeat-line">
          <Figure label="Repeat" value={String(count)} onChange={(text) => set({ count: Math.max(1, Number(text) || 1) })} />
          <Figure
            label="At most per second"
            value={perSecond}
            placeholder="No limit"
            onChange={(text) => set({ perSecond: text })}
            disabled={count <= 1}
          />
          <Figure
            label="At the same time"
            value={String(concurrency)}
            onChange={(text) => set({ concurrency: Math.max(1, Number(text) || 1) })}
            disabled={count <= 1}
          />
        </div>
        <div class="toolbar">
          <Button kind="primary" icon="play" type="submit" disabled={!isValid || server.status !== 'connected'}>
            Send
          </Button>
          <CopyAs source={{ serverId: server.id, request, options }} />
        </div>
      </form>
      <div class="stack">
        {operation ? (
          <OperationResult key={operation.id} operation={operation} />
        ) : (
          <Empty icon="out" title="Nothing sent yet">
            The response appears here.
          </Empty>
        )}
        <History server={server} onChoose={(chosen) => set(chosen)} />
      </div>
    </div>
  )
}

interface FigureProps {
  readonly label: string
  readonly value: string
  readonly onChange: (text: string) => void
  readonly placeholder?: string
  readonly disabled?: boolean
}

function Figure({ label, value, onChange, placeholder, disabled }: FigureProps): JSX.Element {
  return (
    <label class="labeled">
      <span>{label}</span>
      <input
        inputMode="numeric"
        value={value}
        placeholder={placeholder}
        disabled={disabled}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </label>
  )
}

const MAX_HISTORY = 20

/** The requests that were sent, to send them again. */
function History({
  server,
  onChoose,
}: {
  server: InspectorServer
  onChoose: (draft: Pick<RequestDraft, 'mode' | 'method' | 'params'>) => void
}): JSX.Element | null {
  const sent = [...store.operations.value.values()]
    .filter((operation) => operation.serverId === server.id && isRaw(operation))
    .slice(-MAX_HISTORY)
    .reverse()
  if (sent.length === 0) return null
  return (
    <section class="stack tight">
      <h3>Sent before</h3>
      <ul class="history">
        {sent.map(({ id, request, status, startedAt, durationMs }) =>
          request.type === 'request' || request.type === 'notify' ? (
            <li key={id}>
              <button
                type="button"
                class="item"
                onClick={() =>
                  onChoose({
                    mode: modeOf(server, request),
                    method: request.method,
                    params: jsonText(request.params),
                  })
                }
              >
                <span class="muted">{formatTime(startedAt)}</span>
                <span class="item-name mono">
                  <Untrusted text={request.method} />
                </span>
                <Badge tone={status === 'failed' ? 'bad' : status === 'done' ? 'good' : 'neutral'}>{status}</Badge>
                <span class="row-tokens">{durationMs !== undefined && formatDuration(durationMs)}</span>
              </button>
            </li>
          ) : null,
        )}
      </ul>
    </section>
  )
}
