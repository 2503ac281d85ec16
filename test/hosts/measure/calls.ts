import type { JsonObject } from 'portcall/jsonrpc'
import type { ModelReply, ModelRequest } from '../model-api/model-api.ts'
import { findOffered, probeTool } from '../probes/probe-tool.ts'
import { LONG_RESULTS, partsIn, RESULT_PROBES } from '../probes/results.ts'
import { CALLED_TOOLS, type SlowCall } from '../probes/servers.ts'
import type { HostRecord } from '../recording.ts'
import type { HostSession } from '../session.ts'
import { textRecord } from './definitions.ts'

/** A model that calls one tool after another, and keeps what the host sends about each call. */
export interface CallingModel {
  decide(request: ModelRequest): ModelReply
  /** Returns what followed the call of a tool. */
  sentAbout(tool: string): readonly unknown[]
}

/** Creates the model. It sets the arguments that the host has added to a tool. */
export function createCallingModel(added: readonly string[]): CallingModel {
  const sent = new Map<string, readonly unknown[]>()
  let at = -1
  return {
    decide(request) {
      const last = CALLED_TOOLS[at]
      if (last !== undefined) sent.set(last, request.afterCall)
      const next = CALLED_TOOLS[++at]
      const call = next !== undefined && findOffered(request.tools, probeTool(`call/${next}`, next))
      if (!call) return { text: 'Done' }
      return { call, args: Object.fromEntries(added.map((name) => [name, true])) }
    },
    sentAbout: (tool) => sent.get(tool) ?? [],
  }
}

/** Reports which parts of results reach the model. */
export function measureResults({ sentAbout }: CallingModel): HostRecord['results'] {
  return Object.fromEntries(RESULT_PROBES.map((probe) => [probe.name, partsIn(sentAbout(probe.name), probe)]))
}

/** Reports how much of long results reaches the model. */
export function measureLongResults({ sentAbout }: CallingModel): HostRecord['texts']['result'] {
  return textRecord(LONG_RESULTS.map(({ name, text }) => [text, JSON.stringify(sentAbout(name))]))
}

type Wire = Pick<HostRecord, 'wire'>['wire']

/** Reports how a host speaks to the server, and whether it passes on the arguments that it has added. */
export function measureWire(
  { heads, received }: HostSession,
  slow: SlowCall,
  added: readonly string[],
): Wire & { addedAreSent: boolean } {
  const messages = heads.map(({ message }) => message).filter((message) => message !== undefined)
  const calls = messages.filter(({ method }) => method === 'tools/call')
  const paramsOf = (message: JsonObject | undefined): JsonObject => (message?.params ?? {}) as JsonObject
  const slowCall = calls.find((call) => paramsOf(call).name === 'slow')
  const closedCall = calls.find((call) => paramsOf(call).name === 'closed')
  const answered = new Set(received.map(({ id }) => id))
  const cancelled = messages
    .filter(({ method }) => method === 'notifications/cancelled')
    .map((message) => paramsOf(message).requestId)
  const [first] = messages
  return {
    ...handshakeOf(first, paramsOf(first)),
    methods: [...new Set(messages.map(({ method }) => String(method)))].sort(),
    headers: headersOf(heads),
    callMeta: Object.keys((paramsOf(closedCall)._meta ?? {}) as JsonObject)
      .filter((key) => !key.startsWith('io.modelcontextprotocol/'))
      .sort(),
    cancels: cancelled.includes(slowCall?.id as never)
      ? 'sends notifications/cancelled'
      : slow.isAborted
        ? 'closes the request'
        : 'waits',
    cancelsAnswered: cancelled.some((id) => id !== slowCall?.id && answered.has(id as never)),
    addedAreSent: added.length > 0 && added.every((name) => name in ((paramsOf(closedCall).arguments ?? {}) as JsonObject)),
  }
}

function handshakeOf(first: JsonObject | undefined, params: JsonObject): Pick<Wire, 'protocolVersion' | 'capabilities'> {
  const meta = (params._meta ?? {}) as JsonObject
  const isOld = first?.method === 'initialize'
  return {
    protocolVersion: String(isOld ? params.protocolVersion : meta['io.modelcontextprotocol/protocolVersion']),
    capabilities: ((isOld ? params.capabilities : meta['io.modelcontextprotocol/clientCapabilities']) ?? {}) as JsonObject,
  }
}

const headersOf = (heads: HostSession['heads']): string[] =>
  [...new Set(heads.flatMap(({ headers }) => Object.keys(headers)).filter((name) => name.startsWith('mcp-')))].sort()
