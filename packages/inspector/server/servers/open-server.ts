import { type Implementation, type ServerCapabilities, type ServerLike, serveChannel } from 'portcall'
import type { AuthProvider } from 'portcall/auth/client'
import {
  type Channel,
  type Client,
  type ClientEvent,
  type ConnectOptions,
  type ConnectTarget,
  connect,
  type Era,
  type WireSender,
} from 'portcall/client'
import { VIEW_CAPABILITIES } from 'portcall/diagnostics'
import { type ClientEvents, events } from 'portcall/events/client'
import { channelPair } from 'portcall/jsonrpc'
import { skills } from 'portcall/skills/client'
import { type ClientTasks, tasks } from 'portcall/tasks/client'
import { lowerCaseNames } from '../../../util/src/header-names.ts'
import type { Callbacks } from '../http/callbacks.ts'
import type { ConnectionSettings, InspectorRoot, InspectorTask, Negotiation } from '../protocol/servers.ts'
import { createQuestionHandlers, type Questions } from '../questions/questions.ts'
import type { RuleCheckerFactory } from '../rules/rules.ts'
import { compareForms } from '../timeline/compare.ts'
import type { Timeline } from '../timeline/timeline.ts'
import { createLineTap, tapMemoryChannel, tapSent } from '../wire/channel-tap.ts'
import { tapFetch } from '../wire/http-tap.ts'
import { createMessageRecorder, type MessageRecorder } from '../wire/messages.ts'
import { createNewestView } from '../wire/newest.ts'
import { describeNegotiation } from './negotiation.ts'
import { observeTasks } from './observe-tasks.ts'
import type { ResolvedServer, StdioSpec, TargetLoaders } from './resolver.ts'

/** The client of a server, with the extensions that the inspector knows. */
export type InspectorClient = Client & {
  readonly tasks?: ClientTasks
  readonly events?: ClientEvents
  readonly skills?: import('portcall/skills/client').ClientSkills
}

/** A connected server. */
export interface OpenInspectedServer {
  readonly client: InspectorClient
  readonly info: Implementation | undefined
  readonly capabilities: ServerCapabilities
  readonly instructions: string | undefined
  readonly negotiation: Negotiation
  readonly pid: number | undefined
  /** Returns what sends messages as they are on the connection that is open now. */
  sender(): WireSender
  close(): Promise<void>
}

export interface OpenServerParts {
  readonly serverId: string
  readonly resolved: ResolvedServer
  readonly settings: ConnectionSettings
  readonly roots: () => readonly InspectorRoot[]
  readonly timeline: Timeline
  readonly questions: Questions
  readonly callbacks: Callbacks
  readonly loaders: TargetLoaders
  readonly createRules: RuleCheckerFactory
  readonly info: Implementation
  readonly hasModel: () => boolean
  /** Returns a provider with tokens that are known already. */
  readonly authOf?: (serverId: string, url: URL) => Promise<AuthProvider | undefined>
  readonly signal?: AbortSignal
  readonly onLost: (error: unknown) => void
  /** Called for each task that a call becomes, and for each state of a task. */
  readonly onTask: (serverId: string, task: InspectorTask) => void
}

/** Connects with a recorder on the wire. The error of a failed attempt has the `negotiation` so far. */
export async function openServer(parts: OpenServerParts): Promise<OpenInspectedServer> {
  const { serverId, settings, timeline } = parts
  const after = [...timeline.all()].at(-1)?.entry.id ?? 0
  const rules = parts.createRules(() => revision)
  const messages = createMessageRecorder({
    serverId,
    timeline,
    rules,
    compare: compareForms,
  })
  let era: Era | undefined = settings.era
  let revision = settings.revision
  const wire = createWire(parts, messages, rules)
  let sender: WireSender
  const onOpen = (opened: WireSender): void => {
    sender = opened
  }
  const transportOf = (): Negotiation['transport'] =>
    wire.kind === 'url' ? (era === 'http+sse' ? 'http+sse' : 'streamable-http') : wire.kind
  const negotiation = (negotiated: string | undefined): Negotiation =>
    describeNegotiation(timeline, {
      serverId,
      after,
      pinned: settings.revision,
      era,
      revision: negotiated,
      transport: transportOf(),
    })
  try {
    const client = (await connect(wire.target, {
      ...(await createOptions(parts, { messages, revision: () => revision })),
      wire: { ...wire.observer, onOpen },
      onEraDetected: (detected) => {
        era = detected
      },
    })) as unknown as InspectorClient
    revision = client.protocolVersion
    // If the user chose the revision, nothing has been sent yet.
    const probed = negotiation(revision)
    const discovered = await client.discover()
    const { serverInfo: info, capabilities, instructions } = discovered
    const close = async (): Promise<void> => {
      await client.close()
      wire.close()
      messages.endRequests('failed')
    }
    return {
      client,
      info,
      capabilities,
      instructions,
      negotiation: probed.steps.length > 0 ? probed : negotiation(revision),
      pid: wire.pid(),
      sender: () => sender,
      close,
    }
  } catch (error) {
    wire.close()
    messages.endRequests('failed')
    if (error instanceof Error) Object.assign(error, { negotiation: negotiation(undefined) })
    throw error
  }
}

/** The target with the observer that records it. */
interface Wire {
  readonly kind: 'url' | 'stdio' | 'in-process'
  readonly target: ConnectTarget
  readonly observer: NonNullable<ConnectOptions['wire']>
  pid(): number | undefined
  close(): void
}

function createWire(parts: OpenServerParts, messages: MessageRecorder, rules: ReturnType<RuleCheckerFactory>): Wire {
  const { serverId, timeline } = parts
  const { target } = parts.resolved
  if (target instanceof URL)
    return {
      kind: 'url',
      target,
      observer: { wrapFetch: (fetch) => tapFetch(fetch, { serverId, timeline, messages, checkHead: rules.checkHead }) },
      pid: () => undefined,
      close() {},
    }
  return 'server' in target ? createMemoryWire(target.server, messages) : createProgramWire(target, messages)
}

function createProgramWire(spec: StdioSpec, messages: MessageRecorder): Wire {
  let pid: number | undefined
  return {
    kind: 'stdio',
    target: { ...spec, terminateWithParent: true },
    observer: {
      onStdout: createLineTap(messages),
      wrapChannel(channel) {
        // A program that is started again answers nothing that the previous one was asked.
        messages.endRequests('failed')
        ;({ pid } = channel as Channel & { readonly pid?: number })
        return tapSent(channel, messages, 'stdio')
      },
    },
    pid: () => pid,
    close() {},
  }
}

function createMemoryWire(server: ServerLike, messages: MessageRecorder): Wire {
  const [near, far] = channelPair()
  const peer = serveChannel(server, far)
  return {
    kind: 'in-process',
    target: near,
    observer: { wrapChannel: (channel) => tapMemoryChannel(channel, messages) },
    pid: () => undefined,
    close: () => void peer.close(),
  }
}

interface ConnectionView {
  readonly messages: MessageRecorder
  /** Returns the revision on the wire. */
  readonly revision: () => string | undefined
}

async function createOptions(
  parts: OpenServerParts,
  { messages, revision: revisionInUse }: ConnectionView,
): Promise<ConnectOptions> {
  const { serverId, settings, timeline, resolved, signal, hasModel, roots, questions, info } = parts
  const { declare = {}, requestTimeoutMs, totalTimeoutMs, connectTimeoutMs, probeTimeoutMs, revision, era, logLevel } = settings
  const originOf = (method: string): { entryId?: number; operationId?: string } => {
    const entryId = messages.handleServerRequest(method)
    const entry = entryId === undefined ? undefined : timeline.get(entryId)?.entry
    const parent = entry?.type === 'message' && entry.parentId !== undefined ? timeline.get(entry.parentId)?.entry : undefined
    return {
      ...(entryId !== undefined && { entryId }),
      ...(parent?.operationId !== undefined && { operationId: parent.operationId }),
    }
  }
  const handlers = createQuestionHandlers({ questions, serverId, hasModel, originOf })
  const isOn = (name: keyof typeof declare): boolean => declare[name] !== false
  return {
    info,
    cache: false,
    restart: false,
    headers: resolved.headers,
    middleware: [observeTasks((task) => parts.onTask(serverId, task)), createNewestView(messages, revisionInUse)],
    ...(revision !== undefined && { protocolVersion: revision }),
    ...(era && { era }),
    ...(connectTimeoutMs !== undefined && { connectTimeoutMs }),
    ...(probeTimeoutMs !== undefined && { probeTimeoutMs }),
    timeouts: {
      ...(requestTimeoutMs !== undefined && { requestTimeoutMs }),
      ...(totalTimeoutMs !== undefined && { totalTimeoutMs }),
    },
    ...(logLevel && { logLevel }),
    ...(signal && { signal }),
    inputMiddleware: handlers.inputMiddleware,
    ...(isOn('elicitForm') && { elicit: handlers.elicit }),
    ...(isOn('elicitUrl') && { elicitUrl: handlers.elicitUrl }),
    ...(isOn('sampling') && { sample: handlers.sample }),
    ...(isOn('roots') && { roots: () => [...roots()] }),
    extensions: [
      ...(isOn('tasks') ? [tasks({ listen: true })] : []),
      ...(isOn('skills') ? [skills()] : []),
      ...(isOn('events') ? [events()] : []),
    ],
    capabilities: {
      ...(isOn('sampling') && { sampling: { tools: {} } }),
      ...(isOn('roots') && { roots: { listChanged: true } }),
      ...settings.capabilities,
      ...(isOn('views') && { extensions: { ...VIEW_CAPABILITIES.extensions, ...settings.capabilities?.extensions } }),
    },
    ...(await authOptions(parts)),
    onStderr: (text) => void timeline.add({ type: 'stderr', serverId, time: Date.now(), text }),
    onEvent: createEventListener(parts),
  }
}

async function authOptions(parts: OpenServerParts): Promise<Pick<ConnectOptions, 'auth'>> {
  const { resolved, settings, serverId, loaders, authOf } = parts
  const { target, headers } = resolved
  if (!(target instanceof URL)) return {}
  const known = await authOf?.(serverId, target)
  if (known) return { auth: known }
  if (lowerCaseNames(headers).authorization !== undefined || settings.signIn === false) return {}
  const { createSignIn, fallingBack } = await import('./sign-in.ts')
  const signIn = createSignIn({ ...parts, url: target })
  const stored = await loaders.storedLogin?.(target)
  return { auth: stored ? fallingBack(stored, signIn) : signIn }
}

function createEventListener({ serverId, timeline, onLost, resolved }: OpenServerParts): (event: ClientEvent) => void {
  const add = (event: 'warning' | 'reconnected', text: string): void =>
    void timeline.add({ type: 'connection', serverId, time: Date.now(), event, text })
  return (event) => {
    if (event.type === 'warning') add('warning', event.message)
    if (event.type === 'output-mismatch')
      add(
        'warning',
        `The result of ${event.tool} does not match its output schema: ${event.issues.map(({ path, message }) => `/${path.join('/')}: ${message}`).join('; ')}`,
      )
    if (event.type === 'unexpected-message') add('warning', `Unexpected (${event.kind}): ${event.text}`)
    if (event.type === 'reconnected') add('reconnected', 'Reconnected')
    if (event.type === 'disconnected' && !(resolved.target instanceof URL)) onLost(event.error)
    else if (event.type === 'disconnected') add('warning', `The connection was lost: ${String(event.error)}`)
  }
}
