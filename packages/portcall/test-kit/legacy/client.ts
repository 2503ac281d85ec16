import type { Channel } from '../../src/jsonrpc/channel.ts'
import type { JsonObject } from '../../src/jsonrpc/message.ts'
import type { UnexpectedMessage } from '../../src/jsonrpc/unexpected-message.ts'
import { createChannelConnection } from '../../src/legacy/client/channel-connection.ts'
import { type LegacyClient, type LegacyClientOptions, openLegacyClient } from '../../src/legacy/client/client.ts'
import type { ClientCapabilities } from '../../src/protocol/types.ts'
import type { Server } from '../../src/server/types.ts'
import { type Caller, callerOf } from '../server.ts'

export const ALL_CAPABILITIES: ClientCapabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} }
export const CLIENT_INFO = { name: 'tester', version: '1', title: 'Tester' }
/** The default responses to input requests. */
export const INPUT_RESPONSES: { readonly [method: string]: JsonObject } = {
  'elicitation/create': { action: 'accept', content: { days: 3 } },
  'sampling/createMessage': { role: 'assistant', model: 'm', content: [{ type: 'text', text: 'hello' }] },
  'roots/list': { roots: [{ uri: 'file:///here' }] },
}

export type OpenOptions = Partial<Omit<LegacyClientOptions, 'connection'>> & {
  onUnexpectedMessage?: (message: UnexpectedMessage) => void
}

/** Opens a client with all capabilities over a channel. */
export function openClient(channel: Channel, { onUnexpectedMessage, ...options }: OpenOptions = {}): Promise<LegacyClient> {
  const handleInputRequest = async (method: string): Promise<JsonObject> => INPUT_RESPONSES[method] ?? {}
  const connection = createChannelConnection(channel, onUnexpectedMessage && { onUnexpectedMessage })
  return openLegacyClient({ connection, info: CLIENT_INFO, capabilities: ALL_CAPABILITIES, handleInputRequest, ...options })
}

/** Sends requests of the newest revision, with all capabilities and this `_meta`. */
export function callerFor({ exchange }: LegacyClient, meta: JsonObject = {}): Caller {
  return callerOf({ exchange } as Server, ALL_CAPABILITIES, meta)
}
