import { TimeoutError } from '../client/errors.ts'
import type { Channel } from '../jsonrpc/channel.ts'
import { ConnectionLostError } from '../jsonrpc/errors.ts'
import { createChannelConnection } from '../legacy/client/channel-connection.ts'
import { MODERN_VERSION } from '../protocol/revisions.ts'
import { createChannelExchange } from '../transports/stdio/client.ts'
import { createChannelHandoff } from './channel-handoff.ts'
import type { Era } from './era-cache.ts'
import { type ConnectContext, openLegacy } from './open-legacy.ts'
import { PROBE_TIMEOUT_MS, probe } from './probe.ts'
import type { OpenConnection } from './reconnect.ts'

/** An open connection and its era. */
export interface NegotiatedConnection {
  readonly connection: OpenConnection
  readonly era: Era
  /** True if the server failed, so that another attempt may find another era. The era is then not remembered. */
  readonly isUncertain?: true
}

const MODERN = { sendsParamHeaders: false, hasSession: false, protocolVersion: MODERN_VERSION }

/**
 * Detects the era of the server on a channel and opens a connection, without a second process or channel. A server that does not respond to
 * the probe is a legacy server, unless it then refuses the handshake: it may have been starting, so it is probed again.
 */
export async function openChannel(
  channel: Channel,
  context: ConnectContext,
  era: Era | undefined,
): Promise<NegotiatedConnection> {
  const { view } = createChannelHandoff(channel)
  const { onUnexpectedMessage, methodOf } = context
  let lastId = 0
  const shared = { onUnexpectedMessage, nextId: () => ++lastId }
  let isSilent = false
  const openModern = async (probeTimeoutMs: number): Promise<NegotiatedConnection | undefined> => {
    const { exchange, close, onClose } = createChannelExchange(view(), { ...shared, methodOf })
    if (era !== 'modern' && (await probe(exchange, { ...context, probeTimeoutMs })) === 'legacy') return undefined
    context.onOpen?.({ notify: (message) => channel.send(message) })
    return { era: 'modern', connection: { ...MODERN, exchange, close, onEnd: onClose } }
  }
  if (era !== 'legacy') {
    const modern = await openModern(context.probeTimeoutMs ?? PROBE_TIMEOUT_MS).catch((error: unknown) => {
      if (!(error instanceof TimeoutError)) throw error
      isSilent = true
    })
    if (modern) return modern
  }
  const legacyView = { ...view(), close: async () => (isSilent ? undefined : channel.close()) }
  try {
    const connection = await openLegacy(createChannelConnection(legacyView, shared), context)
    isSilent = false
    return { era: 'legacy', connection }
  } catch (error) {
    const modern = isSilent && (await openModern(PROBE_TIMEOUT_MS).catch(() => {}))
    if (modern) return modern
    await channel.close()
    throw error
  }
}

/**
 * Starts a process and connects to it. A server that exits on the probe is a legacy server: it is started again without a probe. If there is
 * no time for that, the error is the one of the exit, which says why.
 */
export async function openProcess(
  start: () => Channel,
  context: ConnectContext,
  era: Era | undefined,
): Promise<NegotiatedConnection> {
  const first = start()
  try {
    return await openChannel(first, context, era)
  } catch (error) {
    await first.close()
    if (era !== undefined || !(error instanceof ConnectionLostError) || context.signal.aborted) throw error
    const second = start()
    return openChannel(second, context, 'legacy').catch(async (reason: unknown) => {
      await second.close()
      throw reason instanceof TimeoutError ? error : reason
    })
  }
}
