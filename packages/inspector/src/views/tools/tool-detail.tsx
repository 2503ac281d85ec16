import { type Signal, useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { JsonEditor } from '../../editor/json-editor.tsx'
import { SchemaForm } from '../../form/form.tsx'
import { isObject, type JsonObject } from '../../schema/schema.ts'
import { inexactNumbers, initialValue, jsonText, parseText } from '../../schema/value.ts'
import { notify, operate, run } from '../../state/actions.ts'
import { draft } from '../../state/drafts.ts'
import type { InspectorServer, OperationOptions, OperationRequest, Tool } from '../../state/protocol.ts'
import { lastOperation, store } from '../../state/store.ts'
import { Badge, Button, Callout, Fold } from '../../ui/basics.tsx'
import { Json } from '../../ui/json.tsx'
import { Menu } from '../../ui/menu.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Description, Untrusted } from '../../ui/untrusted.tsx'
import { findingsOf, tokensOf } from '../check/quality.ts'
import { OperationResult } from '../results/operation-result.tsx'
import { useCurrentOperation } from '../shell/current-operation.ts'
import { CopyAs } from './copy-as.tsx'
import { RequestOptions } from './request-options.tsx'

/** A tool: what it is, the arguments in three views of one value, and the result of the last call. */
export function ToolDetail({ server, tool }: { server: InspectorServer; tool: Tool }): JSX.Element {
  const key = `tool ${server.id} ${tool.name}`
  const text = draft(key, () => jsonText(initialValue(tool.inputSchema, tool.inputSchema) ?? {}))
  const options = draft<OperationOptions & { asTask?: boolean }>(`${key} options`, () => ({}))
  const operation = lastOperation(server.id, ({ request }) => request.type === 'call-tool' && request.name === tool.name)
  useCurrentOperation(operation?.id)
  return (
    <>
      <ToolHead server={server} tool={tool} />
      <ToolCall server={server} tool={tool} text={text} options={options} />
      {operation && <OperationResult key={operation.id} operation={operation} />}
    </>
  )
}

function ToolHead({ server, tool }: { server: InspectorServer; tool: Tool }): JSX.Element {
  const { name, title, description, annotations = {} } = tool
  const tokens = tokensOf(server.id, name)
  const findings = findingsOf(server.id, 'tools', name)
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
      {findings.length > 0 && (
        <Callout
          tone={findings.some(({ level }) => level === 'error') ? 'bad' : 'warn'}
          title={findings.length === 1 ? 'A finding' : `${findings.length} findings`}
        >
          <ul>
            {findings.map(({ rule, message }) => (
              <li key={`${rule} ${message}`}>
                <Untrusted text={message} /> <span class="facts">{rule}</span>
              </li>
            ))}
          </ul>
        </Callout>
      )}
    </header>
  )
}

interface ToolCallProps {
  readonly server: InspectorServer
  readonly tool: Tool
  /** The arguments, as the text of the JSON editor: the form changes it only where someone edits the form. */
  readonly text: Signal<string>
  readonly options: Signal<OperationOptions & { asTask?: boolean }>
}

function ToolCall({ server, tool, text, options }: ToolCallProps): JSX.Element {
  const parsed = parseText(text.value)
  const value = parsed.ok ? (parsed.value ?? {}) : undefined
  const { asTask, ...rest } = options.value
  const request: OperationRequest | undefined = isObject(value)
    ? { type: 'call-tool', name: tool.name, arguments: value, ...(asTask && { asTask }) }
    : undefined
  const isConnected = server.status === 'connected'
  const isTried = useSignal(false)
  const call = (): void => {
    isTried.value = true
    if (request && isConnected) void operate(server.id, request, rest)
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
        showMissing={isTried.value}
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
        <Button kind="primary" icon="play" onClick={call} disabled={!request || !isConnected} title="Ctrl-Enter or ⌘-Enter">
          Call
        </Button>
        {request && <CopyAs source={{ serverId: server.id, request, options: rest }} />}
        {request && <SaveCall server={server} request={request} options={rest} />}
        <Button kind="quiet" onClick={() => (text.value = jsonText(initialValue(tool.inputSchema, tool.inputSchema) ?? {}))}>
          Reset
        </Button>
      </div>
    </div>
  )
}

interface ArgumentsProps {
  readonly tool: Tool
  readonly text: Signal<string>
  readonly value: unknown
  readonly message: string | undefined
  readonly showMissing: boolean
  readonly onSubmit: () => void
}

function Arguments({ tool, text, value, message, showMissing, onSubmit }: ArgumentsProps): JSX.Element {
  const view = draft('view of arguments', () => 'form')
  const form = (): JSX.Element =>
    message === undefined ? (
      <SchemaForm
        id={`tool-${tool.name}`}
        schema={tool.inputSchema}
        value={value}
        showMissing={showMissing}
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
            <JsonEditor
              text={text.value}
              onChange={(next) => (text.value = next)}
              label="Arguments as JSON"
              onSubmit={onSubmit}
            />
          ),
        },
        { id: 'schema', label: 'Schema', content: () => <Schemas tool={tool} /> },
      ]}
    />
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
