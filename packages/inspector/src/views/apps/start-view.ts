import type { AppHostName } from '../../../../portcall/src/apps/host/profiles.ts'
import { type ShownApp, showApp } from '../../../../portcall/src/apps/host/show.ts'
import type { HostContext } from '../../../../portcall/src/apps/view/types.ts'
import { send } from '../../state/api.ts'
import { onBlocked } from '../../state/blocked.ts'
import type { BlockedByPolicy, OperationState, Tool } from '../../state/protocol.ts'
import { store } from '../../state/store.ts'
import { createViewClient, resultOf } from './view-client.ts'
import { createNoteWriter, noteOf } from './view-notes.ts'
import { NO_RECORD, recordEvent, type ViewRecord, withItem } from './view-record.ts'

/** Options of `startView`. */
export interface StartViewOptions {
  readonly element: HTMLElement
  readonly tool: Tool
  /** The call whose result the view shows. */
  readonly operation: OperationState
  /** The host that is emulated. Absent: none. */
  readonly profile: AppHostName | undefined
  readonly context: HostContext
  /** Receives the record each time that it changes. */
  readonly onRecord: (record: ViewRecord) => void
  /** Shows the view in another mode. */
  readonly onDisplayMode: NonNullable<Parameters<typeof showApp>[0]['onDisplayMode']>
}

/** A view that is shown, and that follows edits. */
export interface StartedView extends ShownApp {
  /** Shows the view that the tool names now, and keeps what a person has done in it. */
  replace(tool: Tool): void
}

/** Shows the view of a tool with the arguments and the result of a call. Rejects if the inspector cannot show it. */
export async function startView(options: StartViewOptions, signal: AbortSignal): Promise<StartedView> {
  const { element, tool, operation, profile, context, onRecord, onDisplayMode } = options
  const { serverId, id, request } = operation
  const viewId = crypto.randomUUID()
  const { sandbox } = await send('show-view', { origin: location.origin, viewId }, signal)
  signal.throwIfAborted()
  const write = createNoteWriter(serverId, id)
  let record = NO_RECORD
  const change = (next: ViewRecord): void => {
    if (next === record) return
    record = next
    onRecord(next)
  }
  const stopListening = onBlocked(viewId, (violation: BlockedByPolicy) => {
    change({ ...record, blocked: withItem(record.blocked, violation) })
    write({ event: 'blocked', title: violation.directive, text: violation.blocked })
  })
  signal.addEventListener('abort', stopListening, { once: true })
  const app = showApp({
    element,
    keepState: true,
    sandbox,
    tool,
    client: createViewClient(serverId),
    info: { name: 'portcall-inspector', version: store.version.value },
    context,
    ...(profile && { profile }),
    ...(request.type === 'call-tool' && { input: request.arguments }),
    result: resultOf(operation),
    onDisplayMode,
    onOpenLink: (url) => change({ ...record, links: withItem(record.links, url) }),
    onMessage: (message) => change({ ...record, messages: withItem(record.messages, message) }),
    onModelContext: (news) => change({ ...record, context: news }),
    onDownload: (files) => change({ ...record, files: files.reduce(withItem<(typeof files)[number]>, record.files) }),
    onLog: () => {},
    grant(asked) {
      change({ ...record, permissions: asked })
      return []
    },
    onEvent(event) {
      const note = noteOf(event)
      if (note) write(note)
      change(recordEvent(record, event))
    },
  })
  const replace = (now: Tool): void => {
    change(NO_RECORD)
    app.reload({ tool: now })
  }
  return Object.assign(app, { replace })
}
