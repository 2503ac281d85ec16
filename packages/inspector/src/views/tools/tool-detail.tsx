import type { Signal } from '@preact/signals'
import type { JSX } from 'preact'
import { JsonEditor } from '../../editor/json-editor.tsx'
import { SchemaForm } from '../../form/form.tsx'
import { type FormChecks, useFormChecks } from '../../form/form-checks.ts'
import { type Problem, problemsOf } from '../../schema/problems.ts'
import { isObject, type JsonObject } from '../../schema/schema.ts'
import { inexactNumbers, jsonText, parseText } from '../../schema/value.ts'
import { notify, operate, run } from '../../state/actions.ts'
import { draft } from '../../state/drafts.ts'
import type { InspectorServer, OperationOptions, OperationRequest, OperationState, Tool } from '../../state/protocol.ts'
import { lastCallOf, store } from '../../state/store.ts'
import { Badge, Button, Callout, Fold, Spinner } from '../../ui/basics.tsx'
import { Json } from '../../ui/json.tsx'
import { Menu } from '../../ui/menu.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Description, Untrusted } from '../../ui/untrusted.tsx'
import { ToolView } from '../apps/tool-view.tsx'
import { viewOf } from '../apps/view-of.ts'
import { ItemFindings } from '../check/item-findings.tsx'
import { tokensOf } from '../check/quality.ts'
import { OperationResult } from '../results/operation-result.tsx'
import { useCurrentOperation } from '../shell/current-operation.ts'
import { argumentsOf, draftKey, initialArguments } from './arguments-draft.ts'
import { CopyAs } from './copy-as.tsx'
import { RequestOptions } from './request-options.tsx'

/** A tool: what it is, the arguments in three views of one value, and the result of the last call. */
export function ToolDetail({ server, tool }: { server: InspectorServer; tool: Tool }): JSX.Element {
  const text = argumentsOf(server.id, tool)
  const options = draft<OperationOptions & { asTask?: boolean }>(`${draftKey(server.id, tool)} options`, () => ({}))
  const operation = lastCallOf(server.id, tool.name)
  useCurrentOperation(operation?.id)
  return (
    <>
      <ToolHead server={server} tool={tool} />
      <ToolCall server={server} tool={tool} text={text} options={options} operation={operation} />
      {operation && viewOf(tool) !== undefined && <ToolView tool={tool} operation={operation} />}
      {operation && <OperationResult key={operation.id} operation={operation} />}
      <ItemFindings serverId={server.id} kind="tools" name={tool.name} />
    </>
  )
}

function ToolHead({ server, tool }: { server: InspectorServer; tool: Tool }): JSX.Element {
  const { name, title, description, annotations = {} } = tool
  const tokens = tokensOf(server.id, name)
  return (
    <header class="stack tight">
      <div class="detail-title">
        <h2 class="mono">
          <Untrusted text={name} />
        </h2>
        {annotations.readOnlyHint && <Badge tone="good">read-only</Badge>}
        {annotations.readOnlyHint !== true && annotations.destructiveHint === true && <Badge tone="warn">destructive</Badge>}
        {annotations.idempotentHint && <Badge>idempotent</Badge>}
        {annotations.openWorldHint && <Badge>open world</Badge>}
        {viewOf(tool) !== undefined && <Badge tone="accent">has a view</Badge>}
        {tokens !== undefined && (
          <Badge title={`Counted with ${store.quality.value.get(server.id)?.tokenizer}`}>~{tokens} tokens</Badge>
        )}
      </div>
      {(title ?? annotations.title) && (
        <p class="detail-subtitle">
          <Untrusted text={title ?? annotations.title ?? ''} />
        </p>
      )}
      <Description text={description} />
    </header>
  )
}

interface ToolCallProps {
  readonly server: InspectorServer
  readonly tool: Tool
  /** The arguments, as the text of the JSON editor: the form changes it only where someone edits the form. */
  readonly text: Signal<string>
  readonly options: Signal<OperationOptions & { asTask?: boolean }>
  /** The last call. */
  readonly operation: OperationState | undefined
}

function ToolCall({ server, tool, text, options, operation }: ToolCallProps): JSX.Element {
  const parsed = parseText(text.value)
  const value = parsed.ok ? (parsed.value ?? {}) : undefined
  const { asTask, ...rest } = options.value
  const request: OperationRequest | undefined = isObject(value)
    ? { type: 'call-tool', name: tool.name, arguments: value, ...(asTask && { asTask }) }
    : undefined
  const isConnected = server.status === 'connected'
  const checks = useFormChecks(problemsOf(value ?? {}, tool.inputSchema))
  const call = (): void => {
    if (request && isConnected && checks.confirm()) void operate(server.id, request, rest)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey) || event.defaultPrevented) return
    event.preventDefault()
    call()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a shortcut for all inputs in it
    <div class="stack" onKeyDown={onKeyDown}>
      <Arguments
        tool={tool}
        text={text}
        value={value}
        message={parsed.ok ? undefined : parsed.message}
        checks={checks}
        onSubmit={call}
      />
      <InexactNumbers text={text.value} />
      <Fold title="Request options" extra={Object.keys(options.value).length > 0 ? <Badge tone="accent">set</Badge> : undefined}>
        <RequestOptions
          id={`options-${server.id}-${tool.name}`}
          options={options.value}
          onChange={(next) => (options.value = next)}
          canBeTask
        />
      </Fold>
      <div class="toolbar call-bar">
        <CallButton
          operation={operation}
          label={checks.isWarned ? 'Call anyway' : 'Call'}
          onCall={call}
          disabled={!request || !isConnected}
        />
        {request && <CopyAs source={{ serverId: server.id, request, options: rest }} />}
        {request && <SaveCall server={server} request={request} options={rest} />}
        <Button kind="quiet" onClick={() => (text.value = initialArguments(tool))}>
          Reset
        </Button>
      </div>
    </div>
  )
}

interface CallButtonProps {
  /** The last call of the tool. */
  readonly operation: OperationState | undefined
  readonly label: string
  readonly onCall: () => void
  readonly disabled: boolean
}

/** The button that calls, and next to it the call that runs, because its result may be below what is in view. */
function CallButton({ operation, label, onCall, disabled }: CallButtonProps): JSX.Element {
  const isRunning = operation?.status === 'running'
  const { progress, total, message } = operation?.progress ?? {}
  return (
    <>
      <Button kind="primary" icon="play" onClick={onCall} disabled={disabled} title="Ctrl-Enter or ⌘-Enter">
        {label}
      </Button>
      {isRunning && (
        <span class="running">
          <Spinner label="The call runs" />
          {progress !== undefined && <span>{total === undefined ? progress : `${progress} of ${total}`}</span>}
          {message && <Untrusted text={message.slice(0, 60)} />}
          <Button kind="quiet" icon="stop" onClick={() => void run('cancel-operation', { operationId: operation.id })}>
            Stop the call
          </Button>
        </span>
      )}
    </>
  )
}

interface ArgumentsProps {
  readonly tool: Tool
  readonly text: Signal<string>
  readonly value: unknown
  readonly message: string | undefined
  readonly checks: FormChecks
  readonly onSubmit: () => void
}

function Arguments({ tool, text, value, message, checks, onSubmit }: ArgumentsProps): JSX.Element {
  const view = draft('view of arguments', () => 'form')
  const form = (): JSX.Element =>
    message === undefined ? (
      <SchemaForm
        id={`tool-${tool.name}`}
        schema={tool.inputSchema}
        value={value}
        checks={checks}
        onChange={(next) => (text.value = jsonText(next))}
      />
    ) : (
      <Callout tone="warn" title="The JSON cannot be read.">
        <p>{message}</p>
        <p>
          <Button onClick={() => (view.value = 'json')}>Edit the JSON</Button>
        </p>
      </Callout>
    )
  return (
    <Tabs
      label="Views of the arguments"
      value={view.value}
      onChange={(id) => {
        view.value = id
      }}
      items={[
        { id: 'form', label: 'Form', content: form },
        {
          id: 'json',
          label: 'JSON',
          content: () => (
            <div class="stack tight">
              <JsonEditor
                text={text.value}
                onChange={(next) => (text.value = next)}
                label="Arguments as JSON"
                onSubmit={onSubmit}
              />
              {checks.isWarned && <Problems problems={checks.problems} />}
            </div>
          ),
        },
        { id: 'schema', label: 'Schema', content: () => <Schemas tool={tool} /> },
      ]}
    />
  )
}

/** The problems of the arguments where there are no inputs to point at. */
function Problems({ problems }: { problems: readonly Problem[] }): JSX.Element {
  return (
    <Callout tone="warn" title="The schema of the tool does not allow these arguments.">
      <ul>
        {problems.map(({ path, message }) => (
          <li key={`${path.join('/')} ${message}`}>
            /{path.join('/')}: {message}
          </li>
        ))}
      </ul>
    </Callout>
  )
}

function Schemas({ tool: { inputSchema, outputSchema, annotations, _meta } }: { tool: Tool }): JSX.Element {
  const parts: readonly (readonly [string, JsonObject | undefined])[] = [
    ['Input schema', inputSchema],
    ['Output schema', outputSchema],
    ['Annotations', annotations && { ...annotations }],
    ['_meta', _meta],
  ]
  return (
    <div class="stack">
      {parts.map(
        ([title, value]) =>
          value && (
            <section key={title} class="stack tight">
              <h4>{title}</h4>
              <Json value={value} label={title} />
            </section>
          ),
      )}
    </div>
  )
}

function InexactNumbers({ text }: { text: string }): JSX.Element | null {
  const numbers = inexactNumbers(text)
  if (numbers.length === 0) return null
  return (
    <Callout tone="warn" title="Numbers that are sent differently">
      <p>JavaScript cannot hold {numbers.map((number) => `${number} (sent as ${Number(number)})`).join(', ')}.</p>
    </Callout>
  )
}

function SaveCall({
  server,
  request,
  options,
}: {
  server: InspectorServer
  request: OperationRequest
  options: OperationOptions
}): JSX.Element {
  const save = async (isError: boolean): Promise<void> => {
    const name = request.type === 'call-tool' ? request.name : request.type
    const assertion = {
      pointer: '/isError',
      check: isError ? ('equals' as const) : ('absent' as const),
      ...(isError && { value: true }),
    }
    const saved = await run('save-call', {
      call: { name, server: server.name, target: server.target, request, options, assertions: [assertion] },
    })
    if (saved) notify('The call is saved. Find it under "Saved calls".')
  }
  return (
    <Menu
      label="Save"
      kind="quiet"
      items={[
        { id: 'success', label: 'Expect success', onSelect: () => void save(false) },
        { id: 'error', label: 'Expect an error of the tool', onSelect: () => void save(true) },
      ]}
    />
  )
}
