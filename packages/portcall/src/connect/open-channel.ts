import { TimeoutError } from '../client/errors.ts'
import type { Channel } from '../jsonrpc/channel.ts'
import { ConnectionLost } from '../jsonrpc/errors.ts'
import { createChannelLink } from '../legacy/channel-link.ts'
import { createChannelExchange } from '../transports/stdio/client.ts'
import type { Era } from './eras.ts'
import { openLegacy, type Speaker } from './open-legacy.ts'
import { probe } from './probe.ts'
import { createRelay } from './relay.ts'
import type { Opened } from './reopen.ts'

/** A way that was opened, and the era that it speaks. */
export interface Found {
  readonly opened: Opened
  readonly era: Era
}

/**
 * Finds out what a server at the other end of a channel speaks, in place: no second process, no second connection. One that says nothing
 * is an old one.
 */
export async function openChannel(channel: Channel, speaker: Speaker, era: Era | undefined): Promise<Found> {
  const { view } = createRelay(channel)
  const { onNoise, methodOf } = speaker
  let lastId = 0
  const shared = { onNoise, nextId: () => ++lastId }
  if (era !== 'legacy') {
    const modern = createChannelExchange(view(), { ...shared, methodOf })
    const verdict = era === 'modern' ? era : await probe(modern.exchange, speaker).catch(silence)
    if (verdict === 'modern') {
      const { exchange, close } = modern
      return { era: verdict, opened: { exchange, close, mirrors: false, onEnd: modern.onClose } }
    }
  }
  return { era: 'legacy', opened: await openLegacy(createChannelLink(view(), shared), speaker) }
}

function silence(error: unknown): 'legacy' {
  if (error instanceof TimeoutError) return 'legacy'
  throw error
}

/** A server that ends when it is asked something that it does not know is an old one: it is started again, and asked otherwise. */
export async function openProgram(start: () => Channel, speaker: Speaker, era: Era | undefined): Promise<Found> {
  const first = start()
  try {
    return await openChannel(first, speaker, era)
  } catch (error) {
    await first.close()
    if (era !== undefined || !(error instanceof ConnectionLost) || speaker.signal.aborted) throw error
    const second = start()
    return openChannel(second, speaker, 'legacy').catch(async (reason: unknown) => {
      await second.close()
      throw reason
    })
  }
}
