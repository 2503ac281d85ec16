/** Starts the inspector in this process and talks to it as the page does. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type InspectorServerOptions, type ListeningInspector, serveInspector } from 'portcall/inspector'
import { onTestFinished } from 'vitest'
import type {
  OperationOptions,
  OperationRequest,
  OperationState,
} from '../../../packages/inspector/server/protocol/operations.ts'
import type { ConnectionSettings, InspectorServer, InspectorTarget } from '../../../packages/inspector/server/protocol/servers.ts'
import type { TimelineEntry } from '../../../packages/inspector/server/protocol/timeline.ts'
import type {
  CommandName,
  CommandResponse,
  InspectorCommands,
  InspectorEvent,
} from '../../../packages/inspector/server/protocol.ts'

/** The headers of a page that is signed in. */
export interface SignedIn {
  readonly cookie: string
  readonly 'x-inspector-key': string
}

/** An inspector and a page that is signed in to it. */
export interface TestInspector {
  readonly url: string
  /** The headers that sign a request in. */
  readonly signedIn: SignedIn
  readonly inspector: ListeningInspector
  /** Sends a command. Rejects with the failure of the back end. */
  command<Name extends CommandName>(
    name: Name,
    params: InspectorCommands[Name]['params'],
  ): Promise<InspectorCommands[Name]['result']>
  /** Adds a server, connects, and waits until it has connected or failed. */
  connect(target: InspectorTarget, settings?: ConnectionSettings): Promise<InspectorServer>
  /** Runs an operation to its end. */
  operate(serverId: string, request: OperationRequest, options?: OperationOptions): Promise<OperationState>
  /** Reads the timeline from the event stream. */
  entries(after?: number): Promise<TimelineEntry[]>
  /** Reads events until one matches. */
  until(matches: (event: InspectorEvent) => boolean): Promise<InspectorEvent>
}

/** Creates a folder with an empty page, since these tests do not look at it. */
export function createPageFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'portcall-page-'))
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Inspector</title>')
  return folder
}

/** Starts an inspector that the end of the test closes. */
export async function startInspector(options: Partial<InspectorServerOptions> = {}): Promise<TestInspector> {
  const inspector = await serveInspector({
    info: { name: 'portcall-inspector', version: '0' },
    assets: createPageFolder(),
    ...options,
  })
  onTestFinished(() => inspector.close())
  return createTestInspector(inspector, await openLink(inspector.newLink()))
}

/** Opens a link as a browser does. */
export async function openLink(link: string): Promise<SignedIn> {
  const { headers } = await fetch(link, { redirect: 'manual' })
  const [cookie = ''] = headers.get('set-cookie')?.split(';') ?? []
  return { cookie, 'x-inspector-key': headers.get('location')?.split('#key=')[1] ?? '' }
}

function createTestInspector(inspector: ListeningInspector, signedIn: SignedIn): TestInspector {
  const { url } = inspector
  const command: TestInspector['command'] = async (name, params) => {
    const response = await fetch(`${url}api/command`, {
      method: 'POST',
      headers: { ...signedIn, 'content-type': 'application/json' },
      body: JSON.stringify({ name, params }),
    })
    const answer = (await response.json()) as CommandResponse
    if (!answer.ok) throw Object.assign(new Error(answer.error.message), answer.error)
    return answer.result as never
  }
  const settled = async (serverId: string): Promise<InspectorServer> => {
    for (;;) {
      const { servers } = await command('get-state', {})
      const server = servers.find(({ id }) => id === serverId)
      if (server && server.status !== 'connecting') return server
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }
  return {
    url,
    signedIn,
    inspector,
    command,
    async connect(target, settings = {}) {
      const { serverId, server } = await command('add-server', { target, settings })
      await command('connect-server', { serverId, ...(server.runs !== undefined && { confirm: server.runs }) })
      return settled(serverId)
    },
    async operate(serverId, request, options) {
      const { operationId } = await command('operate', { serverId, request, ...(options && { options }) })
      return (await command('wait-operation', { operationId, timeoutMs: 20_000 })).operation
    },
    async entries(after = 0) {
      const entries = new Map<number, TimelineEntry>()
      for await (const event of readEvents(url, { signedIn, after })) {
        if (event.type === 'entries') for (const entry of event.entries) entries.set(entry.id, entry)
        if (event.type === 'ready') break
      }
      return [...entries.values()]
    },
    async until(matches) {
      for await (const event of readEvents(url, { signedIn, after: 0 })) if (matches(event)) return event
      throw new Error('The stream ended')
    },
  }
}

/** Reads the event stream. */
export async function* readEvents(
  url: string,
  { signedIn, after }: { readonly signedIn: SignedIn; readonly after: number },
): AsyncGenerator<InspectorEvent> {
  const stop = new AbortController()
  const response = await fetch(`${url}api/events?after=${after}`, { headers: { ...signedIn }, signal: stop.signal })
  if (!response.body) throw new Error('There is no stream')
  let text = ''
  const decoder = new TextDecoder()
  try {
    for await (const chunk of response.body) {
      text += decoder.decode(chunk as Uint8Array, { stream: true })
      const events = text.split('\n\n')
      text = events.pop() ?? ''
      for (const event of events) {
        const data = event.split('\n').find((line) => line.startsWith('data: '))
        if (data !== undefined) yield JSON.parse(data.slice(6)) as InspectorEvent
      }
    }
  } finally {
    stop.abort()
  }
}
