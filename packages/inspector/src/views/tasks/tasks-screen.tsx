import type { JSX } from 'preact'
import { formatDuration, formatTime } from '../../lib/format.ts'
import { operate } from '../../state/actions.ts'
import type { InspectorServer, InspectorTask } from '../../state/protocol.ts'
import { inventoryOf, lastOperation } from '../../state/store.ts'
import { Badge, Button, Callout, Facts, type Tone } from '../../ui/basics.tsx'
import { Json } from '../../ui/json.tsx'
import { Untrusted } from '../../ui/untrusted.tsx'
import { OperationResult } from '../results/operation-result.tsx'
import { useCurrentOperation } from '../shell/current-operation.ts'
import { ListDetail } from '../shell/list-detail.tsx'

/** The tasks that this inspector has started or that the server lists. */
export function TasksScreen({ server }: { server: InspectorServer }): JSX.Element {
  const inventory = inventoryOf(server.id, 'tasks')
  const tasks = [...(inventory?.items ?? [])].reverse()
  return (
    <ListDetail
      kind="tasks"
      server={server}
      inventory={inventory}
      items={tasks}
      searchOf={({ taskId, toolName }) => `${toolName ?? ''} ${taskId}`}
      keyOf={({ taskId }) => taskId}
      labelOf={({ taskId, toolName }) => toolName ?? taskId}
      row={(task) => <TaskBadge task={task} />}
      empty={{
        icon: 'clock',
        title: 'No tasks yet',
        text: 'Call a tool that the server runs as a task, with the request option "Do not wait".',
        choose: 'Its state, its questions and its result appear here.',
      }}
      detail={(task) => <TaskDetail server={server} task={task} />}
    />
  )
}

const TONES: { [status: string]: Tone } = {
  working: 'accent',
  input_required: 'warn',
  completed: 'good',
  failed: 'bad',
  cancelled: 'neutral',
}

function statusOf({ state, isGone }: InspectorTask): string {
  if (isGone) return 'expired'
  return typeof state?.['status'] === 'string' ? state['status'] : 'unknown'
}

function TaskBadge({ task }: { task: InspectorTask }): JSX.Element {
  const status = statusOf(task)
  return <Badge tone={TONES[status] ?? 'neutral'}>{status.replaceAll('_', ' ')}</Badge>
}

function TaskDetail({ server, task }: { server: InspectorServer; task: InspectorTask }): JSX.Element {
  const { taskId, toolName, startedAt, state, isGone } = task
  const operation = lastOperation(server.id, ({ request }) => 'taskId' in request && request.taskId === taskId)
  useCurrentOperation(operation?.id)
  const message = state?.['statusMessage']
  const ttlMs = state?.['ttlMs']
  const isOver = ['completed', 'failed', 'cancelled', 'expired'].includes(statusOf(task))
  return (
    <>
      <header class="stack tight">
        <div class="detail-title">
          <h2>{toolName ?? 'Task'}</h2>
          <TaskBadge task={task} />
        </div>
        <p class="mono muted">
          <Untrusted text={taskId} />
        </p>
        {typeof message === 'string' && (
          <p>
            <Untrusted text={message} />
          </p>
        )}
        <Facts
          items={[
            startedAt !== undefined && ['Started', formatTime(startedAt)],
            typeof ttlMs === 'number' && ['Kept for', formatDuration(ttlMs)],
          ]}
        />
        {isGone && (
          <Callout title="The server does not have this task any more.">
            <p>It keeps a task for a limited time. The state below is the last one that was seen.</p>
          </Callout>
        )}
      </header>
      <div class="toolbar">
        <Button icon="refresh" onClick={() => void operate(server.id, { type: 'task-get', taskId })}>
          Fetch the state
        </Button>
        <Button
          kind="primary"
          icon="play"
          disabled={isGone === true}
          onClick={() => void operate(server.id, { type: 'task-result', taskId })}
        >
          Wait for the result
        </Button>
        <Button icon="stop" disabled={isOver} onClick={() => void operate(server.id, { type: 'task-cancel', taskId })}>
          Cancel the task
        </Button>
      </div>
      {state && <Json value={state} label="state" />}
      {operation && <OperationResult operation={operation} />}
    </>
  )
}
