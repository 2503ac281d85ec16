import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { formatCount, formatDuration, plural } from '../../lib/format.ts'
import { isObject, type JsonObject } from '../../schema/schema.ts'
import { announce, run, saveFile, startedOperation } from '../../state/actions.ts'
import { isTimelineOpen } from '../../state/preferences.ts'
import type { CallToolResult, ContentBlock, OperationState } from '../../state/protocol.ts'
import { selectedEntry } from '../../state/timeline-view.ts'
import { Badge, Button, Callout, Failure, IconButton, Spinner } from '../../ui/basics.tsx'
import { Json } from '../../ui/json.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Untrusted } from '../../ui/untrusted.tsx'
import { QuestionList } from '../questions/question-list.tsx'
import { Content } from './content.tsx'

/** The state of an operation: its progress, its questions, and its result or failure. */
export function OperationResult({
  operation,
  children,
}: {
  operation: OperationState
  children?: (result: JsonObject) => JSX.Element
}): JSX.Element {
  const { id, status, failure, result } = operation
  const section = useRef<HTMLElement>(null)
  useEffect(() => {
    if (status !== 'running') announce(outcomeText(operation))
  }, [id, status])
  const isStartedHere = startedOperation.value === id
  useEffect(() => {
    if (isStartedHere && status !== 'running') reveal(section.current)
  }, [isStartedHere, status])
  return (
    <section ref={section} class="result" aria-label="Result">
      <ResultHead operation={operation} />
      <QuestionList serverId={operation.serverId} operationId={id} />
      {status === 'running' && <Progress operation={operation} />}
      {operation.repeated && <Repeated repeated={operation.repeated} />}
      {failure && <Failure failure={failure} />}
      {result && (children ? children(result) : <ResultTabs operation={operation} result={result} />)}
    </section>
  )
}

/** Scrolls to a result that is not in view: to the end of a short one, and to the start of a long one, below the buttons of the call. */
function reveal(section: HTMLElement | null): void {
  const isShort = section !== null && section.offsetHeight < innerHeight / 3
  section?.scrollIntoView({ block: isShort ? 'nearest' : 'start' })
}

function outcomeText({ status, result, durationMs }: OperationState): string {
  const time = durationMs === undefined ? '' : ` after ${formatDuration(durationMs)}`
  if (status === 'failed') return `Failed${time}`
  if (status === 'cancelled') return `Cancelled${time}`
  return result?.['isError'] === true ? `The tool reported an error${time}` : `Done${time}`
}

function ResultHead({ operation }: { operation: OperationState }): JSX.Element {
  const { id, status, result, durationMs, entryIds } = operation
  const isError = result?.['isError'] === true
  const first = entryIds[0]
  const showMessages = (): void => {
    isTimelineOpen.value = true
    selectedEntry.value = first
  }
  return (
    <header class="result-head">
      <h3>Result</h3>
      {status === 'running' && <Spinner label="Running" />}
      {status === 'done' && <Badge tone={isError ? 'bad' : 'good'}>{isError ? 'tool error' : 'success'}</Badge>}
      {status === 'failed' && <Badge tone="bad">failed</Badge>}
      {status === 'cancelled' && <Badge tone="warn">cancelled</Badge>}
      {durationMs !== undefined && <span class="muted">{formatDuration(durationMs)}</span>}
      <span class="toolbar spread">
        {status === 'running' && (
          <Button icon="stop" onClick={() => void run('cancel-operation', { operationId: id })}>
            Cancel
          </Button>
        )}
        {first !== undefined && (
          <Button kind="quiet" icon="pulse" onClick={showMessages}>
            {plural(entryIds.length, 'message')}
          </Button>
        )}
        {result && (
          <IconButton
            icon="save"
            label="Save the result"
            onClick={() => saveFile('result.json', 'application/json', JSON.stringify(result, null, 2))}
          />
        )}
      </span>
    </header>
  )
}

function Progress({ operation: { progress } }: { operation: OperationState }): JSX.Element | null {
  if (!progress) return null
  const { progress: value, total, message } = progress
  return (
    <div class="progress">
      <progress aria-label="Progress" value={total === undefined ? undefined : value} max={total} />
      <span class="muted">
        {total === undefined ? value : `${value} of ${total}`} {message && <Untrusted text={message} />}
      </span>
    </div>
  )
}

function Repeated({
  repeated: { succeeded, failed, p50Ms, p95Ms, maxMs },
}: {
  repeated: NonNullable<OperationState['repeated']>
}): JSX.Element {
  return (
    <dl class="figures">
      {(
        [
          ['Succeeded', formatCount(succeeded)],
          ['Failed', formatCount(failed)],
          ['Median', formatDuration(p50Ms)],
          ['95 %', formatDuration(p95Ms)],
          ['Maximum', formatDuration(maxMs)],
        ] as const
      ).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

const isToolResult = (result: JsonObject): result is JsonObject & CallToolResult => Array.isArray(result['content'])

function ResultTabs({ operation, result }: { operation: OperationState; result: JsonObject }): JSX.Element {
  const content = isToolResult(result) ? result.content.filter(isBlock) : undefined
  const hasStructured = 'structuredContent' in result
  const items = [
    ...(content
      ? [
          {
            id: 'content',
            label: `Content${content.length === 1 ? '' : ` (${content.length})`}`,
            content: () => <Blocks blocks={content} serverId={operation.serverId} />,
          },
        ]
      : []),
    ...(hasStructured
      ? [
          {
            id: 'structured',
            label: <StructuredLabel issues={operation.issues} />,
            content: () => <Structured operation={operation} value={result['structuredContent']} />,
          },
        ]
      : []),
    { id: 'raw', label: 'Raw', content: () => <Json value={result} label="result" /> },
  ]
  return <Tabs key={`${operation.id} ${items.length}`} label="Views of the result" items={items} />
}

const isBlock = (value: unknown): value is ContentBlock => isObject(value) && typeof value['type'] === 'string'

function Blocks({ blocks, serverId }: { blocks: readonly ContentBlock[]; serverId: string }): JSX.Element {
  if (blocks.length === 0) return <p class="muted">The result has no content.</p>
  return (
    <div class="stack">
      {blocks.map((block, index) => (
        <Content key={index} block={block} serverId={serverId} />
      ))}
    </div>
  )
}

function StructuredLabel({ issues }: { issues: OperationState['issues'] }): JSX.Element {
  return (
    <>
      Structured
      {issues && issues.length > 0 && <Badge tone="bad">{issues.length}</Badge>}
    </>
  )
}

function Structured({ operation: { issues }, value }: { operation: OperationState; value: unknown }): JSX.Element {
  return (
    <div class="stack tight">
      {issues && issues.length === 0 && <Callout tone="good" title="It matches the output schema." />}
      {issues && issues.length > 0 && (
        <Callout tone="bad" title="It does not match the output schema.">
          <ul>
            {issues.map(({ path, message }) => (
              <li key={`${path.join('/')} ${message}`}>
                <code>/{path.join('/')}</code> <Untrusted text={message} />
              </li>
            ))}
          </ul>
        </Callout>
      )}
      <Json value={value} label="structured content" />
    </div>
  )
}
