import { useSignal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { formatDuration, formatTime } from '../../lib/format.ts'
import { parseText } from '../../schema/value.ts'
import { failureOf, send } from '../../state/api.ts'
import type { InspectorFailure, MessageDetail, TimelineEntry } from '../../state/protocol.ts'
import { go } from '../../state/route.ts'
import { store } from '../../state/store.ts'
import { subjectOf, titleOf } from '../../state/timeline-rows.ts'
import { pinned, selectedEntry, togglePin } from '../../state/timeline-view.ts'
import { Badge, Button, Failure, IconButton, Spinner } from '../../ui/basics.tsx'
import { Code, Json } from '../../ui/json.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Untrusted } from '../../ui/untrusted.tsx'
import { editRequest } from '../requests/request-draft.ts'
import { CopyAs } from '../tools/copy-as.tsx'
import { HttpView } from './http-view.tsx'
import { RulesView } from './rules-view.tsx'
import { TranslationView } from './translation-view.tsx'

type Loaded = { readonly detail: MessageDetail } | { readonly failure: InspectorFailure } | undefined

/** Fetches the whole of an entry, again when it changes. */
function useDetail(entryId: number, seq: number): Loaded {
  const loaded = useSignal<Loaded>(undefined)
  useEffect(() => {
    const controller = new AbortController()
    send('get-entry', { entryId }, controller.signal).then(
      (detail) => {
        loaded.value = { detail }
      },
      (error) => {
        if (!controller.signal.aborted) loaded.value = { failure: failureOf(error) }
      },
    )
    return () => controller.abort()
  }, [entryId, seq])
  return loaded.value
}

/** The details of one entry: a request with its response, or one message. */
export function Drawer({ entryId }: { entryId: number }): JSX.Element | null {
  void store.timelineVersion.value
  const entry = store.timeline.get(entryId)
  const side = useSignal<'first' | 'response'>('first')
  if (!entry) return null
  const responseId = entry.type === 'message' && entry.messageKind === 'request' ? entry.pairId : undefined
  const response = responseId === undefined ? undefined : store.timeline.get(responseId)
  const shown = side.value === 'response' && response ? response : entry
  return (
    <aside class="drawer" aria-label="Message">
      <header class="drawer-head">
        <h3>
          <span class="mono">{titleOf(entry)}</span>{' '}
          <span class="drawer-subject">
            <Untrusted text={subjectOf(entry).slice(0, 80)} />
          </span>
        </h3>
        {response && (
          <span class="segments drawer-sides">
            {(['first', 'response'] as const).map((value) => (
              <label key={value} class="segment">
                <input
                  type="radio"
                  name={`side-${entryId}`}
                  checked={side.value === value}
                  onChange={() => (side.value = value)}
                />
                <span>{value === 'first' ? 'request' : 'response'}</span>
              </label>
            ))}
          </span>
        )}
        <DrawerActions entry={entry} />
      </header>
      <Detail key={shown.id} entry={shown} />
    </aside>
  )
}

function DrawerActions({ entry }: { entry: TimelineEntry }): JSX.Element {
  const sent = entry.type === 'message' && entry.direction === 'out' ? entry.messageKind : undefined
  return (
    <span class="toolbar">
      {(sent === 'request' || sent === 'notification') && (
        <Button kind="quiet" icon="refresh" onClick={() => void edit(entry)}>
          Edit and resend
        </Button>
      )}
      {sent === 'request' && <CopyAs source={{ entryId: entry.id }} quiet />}
      <IconButton icon="pin" label="Pin" pressed={pinned.value.has(entry.id)} onClick={() => togglePin(entry.id)} />
      <IconButton icon="close" label="Close the message" onClick={() => (selectedEntry.value = undefined)} />
    </span>
  )
}

async function edit(entry: TimelineEntry): Promise<void> {
  const detail = await send('get-entry', { entryId: entry.id }).catch(() => undefined)
  if (!detail) return
  editRequest(entry.serverId, detail.value)
  go({ screen: 'requests', serverId: entry.serverId })
}

function Detail({ entry }: { entry: TimelineEntry }): JSX.Element {
  const loaded = useDetail(entry.id, entry.seq)
  if (!loaded) return <Spinner label="Loading the message" />
  if ('failure' in loaded) return <Failure failure={loaded.failure} />
  const { detail } = loaded
  const violations = 'violations' in entry ? (entry.violations ?? []) : []
  if (entry.type !== 'message' && entry.type !== 'http') return <OtherEntry entry={entry} />
  const items = [
    ...(entry.type === 'message'
      ? [
          { id: 'sent', label: 'As sent', content: () => <AsSent detail={detail} /> },
          {
            id: 'newest',
            label: <WithCount text="Newest revision" count={detail.changes.length} />,
            content: () => <TranslationView detail={detail} />,
          },
        ]
      : []),
    { id: 'http', label: 'HTTP', content: () => <HttpView http={entry.type === 'http' ? entry : detail.http} /> },
    {
      id: 'rules',
      label: <WithCount text="Rules" count={violations.length} bad />,
      content: () => <RulesView violations={violations} />,
    },
  ]
  return <Tabs label="Views of the message" items={items} />
}

function WithCount({ text, count, bad = false }: { text: string; count: number; bad?: boolean }): ComponentChildren {
  return count > 0 ? (
    <>
      {text} <Badge tone={bad ? 'bad' : 'neutral'}>{count}</Badge>
    </>
  ) : (
    text
  )
}

function AsSent({ detail }: { detail: MessageDetail }): JSX.Element {
  const { entry, value, text } = detail
  const facts =
    entry.type === 'message'
      ? [formatTime(entry.time), entry.stream, entry.durationMs !== undefined && formatDuration(entry.durationMs)]
      : []
  return (
    <div class="stack tight">
      <p class="muted small-text">{facts.filter(Boolean).join(' · ')}</p>
      {value === undefined ? <Code text={text} label="bytes" language="text" wrap /> : <Json value={value} label="message" />}
    </div>
  )
}

function ViewEntry({ entry: { text, from, event } }: { entry: TimelineEntry & { type: 'view' } }): JSX.Element {
  const parsed = parseText(text)
  return (
    <div class="stack tight">
      <p class="muted small-text">{event === 'message' ? (from === 'host' ? 'to the view' : 'from the view') : event}</p>
      {parsed.ok ? <Json value={parsed.value} label="message" /> : <Code text={text} label="text" language="text" wrap />}
    </div>
  )
}

function OtherEntry({ entry }: { entry: TimelineEntry }): JSX.Element {
  if (entry.type === 'stderr') return <Code text={entry.text} label="stderr" language="text" wrap />
  if (entry.type === 'view') return <ViewEntry entry={entry} />
  if (entry.type === 'log') return <Json value={entry.data} label="log message" />
  if (entry.type === 'connection')
    return (
      <div class="stack tight">
        <p>
          <Untrusted text={entry.text} />
        </p>
        {entry.data !== undefined && <Json value={entry.data} label="data" />}
      </div>
    )
  return <Json value={entry} label="entry" />
}
