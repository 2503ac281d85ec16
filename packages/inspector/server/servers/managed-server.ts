import { notification } from 'portcall/jsonrpc'
import type { ConnectionSettings, InspectorRoot, InspectorServer, InspectorTarget, Negotiation } from '../protocol/servers.ts'
import { InspectorCommandError, toFailure } from '../state/command-error.ts'
import type { EventHub } from '../state/event-hub.ts'
import type { OpenInspectedServer, OpenServerParts } from './open-server.ts'
import { resolveServer } from './resolver.ts'
import { createServerFacts, type NewServer, type ServerChange, type ServerDetails } from './server-facts.ts'

/** The context that all servers share. */
export type ServerContext = Omit<OpenServerParts, 'serverId' | 'resolved' | 'settings' | 'roots' | 'onStatus' | 'onLost'> & {
  readonly hub: EventHub
  /** Called when a connection has been opened or closed. */
  readonly onConnection: (server: ManagedServer) => void
}

/** One server of the inspector: what the user set, and its connection. */
export interface ManagedServer {
  readonly id: string
  /** The state for the page, without secrets. */
  readonly state: InspectorServer
  readonly settings: ConnectionSettings
  readonly target: InspectorTarget
  /** The open connection. @throws InspectorCommandError if there is none. */
  readonly connection: OpenInspectedServer
  readonly isConnected: boolean
  /** Connects in the background. `confirm` is what the user agreed to run; `true` on the command line. */
  connect(confirm: string | true | undefined): Promise<void>
  disconnect(): Promise<void>
  /** Checks that a person has seen what will run. @throws InspectorCommandError */
  confirm(confirmed: string | true | undefined): Promise<string>
  update(change: ServerChange): Promise<void>
  /** Replaces the roots. A connected server is notified if its revision has a notification for it. */
  setRoots(roots: readonly InspectorRoot[]): Promise<void>
  /** Changes what the page sees. */
  show(change: ServerDetails): void
}

/** Creates a server. Nothing is started. */
export async function createManagedServer(init: NewServer, context: ServerContext): Promise<ManagedServer> {
  const facts = await createServerFacts(init, context)
  const { id } = facts
  let attempt: AbortController | undefined
  let connection: OpenInspectedServer | undefined

  const addNote = (event: 'connecting' | 'connected' | 'failed' | 'disconnected', text: string): void => {
    context.timeline.add({ type: 'connection', serverId: id, time: Date.now(), event, text })
  }
  const disconnect = async (): Promise<void> => {
    attempt?.abort(new Error('The user disconnected'))
    attempt = undefined
    const open = connection
    connection = undefined
    if (facts.isActive) {
      facts.setStatus('disconnected', { pid: undefined })
      addNote('disconnected', 'Disconnected')
    }
    if (!open) return
    context.onConnection(server)
    await open.close()
  }
  const onLost = (error: unknown): void => {
    if (!connection) return
    void connection.close().catch(() => {})
    connection = undefined
    const failure = toFailure(error)
    facts.setStatus('disconnected', { failure, pid: undefined })
    addNote('disconnected', failure.message)
    context.onConnection(server)
  }
  const open = async ({ signal }: AbortController): Promise<void> => {
    const { target, settings } = facts
    const resolved = await resolveServer(target, settings, { loaders: context.loaders, load: true })
    const { openServer } = await import('./open-server.ts')
    const opened = await openServer({ ...context, serverId: id, resolved, settings, roots: () => facts.roots, signal, onLost })
    if (signal.aborted) return void opened.close()
    connection = opened
    const { info, capabilities, instructions, negotiation, pid } = opened
    const { logLevel } = settings
    facts.setStatus('connected', { negotiation, info, capabilities, instructions, logLevel, pid, connectedAt: Date.now() })
    addNote('connected', negotiation.reason)
    context.onConnection(server)
  }

  const server: ManagedServer = {
    id,
    get state() {
      return facts.state
    },
    get settings() {
      return facts.settings
    },
    get target() {
      return facts.target
    },
    get isConnected() {
      return connection !== undefined
    },
    get connection() {
      if (connection) return connection
      throw new InspectorCommandError('NOT_CONNECTED', `${facts.state.name} is not connected`, 'Connect first.')
    },
    async connect(confirm) {
      const text = await facts.confirm(confirm)
      await disconnect()
      const own = new AbortController()
      attempt = own
      facts.startConnecting()
      addNote('connecting', text)
      void open(own).catch((error: unknown) => {
        if (attempt !== own || own.signal.aborted) return
        const failure = toFailure(error)
        const { negotiation } = error as { negotiation?: Negotiation }
        facts.setStatus('failed', { failure, negotiation })
        addNote('failed', failure.message)
      })
    },
    disconnect,
    confirm: facts.confirm,
    update: facts.update,
    async setRoots(roots) {
      facts.setRoots(roots)
      const open = facts.settings.declare?.roots === false ? undefined : connection?.sender()
      if (open?.request) await open.notify(notification('notifications/roots/list_changed'))
    },
    show: facts.show,
  }
  facts.publish()
  return server
}
