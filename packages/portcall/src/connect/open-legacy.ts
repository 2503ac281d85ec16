import type { Clocks } from '../client/deadline.ts'
import type { Answer } from '../client/input.ts'
import type { JsonObject } from '../jsonrpc/message.ts'
import type { Noise } from '../jsonrpc/noise.ts'
import { openLegacyClient } from '../legacy/client.ts'
import type { LegacyLink } from '../legacy/link.ts'
import type { MethodOf } from '../protocol/methods.ts'
import type { ClientCapabilities, Implementation } from '../protocol/types.ts'
import type { Opened } from './reopen.ts'

/** Who speaks: what every way to a server has to know of its client. */
export interface Speaker {
  readonly info: Implementation
  readonly capabilities: ClientCapabilities
  readonly answer: Answer
  /** `_meta` of a request of the newest revision. */
  readonly envelope: JsonObject
  /** The revision of the legacy era that is spoken, when it is not to be negotiated. */
  readonly revision: string | undefined
  /** Hears the log messages of a session. */
  readonly onLog: (params: JsonObject) => void
  /** Hears of what a server sends and what is no message. */
  readonly onNoise: (noise: Noise) => void
  /** How long a server may take to say what it is. */
  readonly probeMs: number
  /** The deadlines of all that waits for this server. */
  readonly clocks: Clocks
  /** What is known of each method. */
  readonly methodOf: MethodOf
  /** Gives up while hands are shaken. */
  readonly signal: AbortSignal
}

/** Shakes hands with a server of the legacy era. */
export async function openLegacy(
  link: LegacyLink,
  { info, capabilities, answer, onLog, revision, signal }: Speaker,
): Promise<Opened> {
  const versions = revision !== undefined && { versions: [revision] }
  const client = await openLegacyClient({ link, info, capabilities, answer, onLog, signal, ...versions })
  return { exchange: client.exchange, mirrors: false, onEnd: client.onClose, close: client.close }
}
