import type { Exchange } from '../../jsonrpc/exchange.ts'
import { failure } from '../../jsonrpc/message.ts'
import { MetaKey } from '../../protocol/meta.ts'
import { METHODS } from '../../protocol/methods.ts'
import { MODERN_VERSION } from '../../protocol/revisions.ts'
import type { Recording } from '../../recording/recording.ts'
import { replayExchange } from '../../recording/replay.ts'
import { snapshotOfRecording } from './snapshot-of-recording.ts'

/** A server that answers as one did in a recording. Pass it to `serve` or `serveStdio`. */
export interface RecordedServer {
  /** Answers the requests of the recording. */
  readonly exchange: Exchange
  /** Ignores errors: there is nothing to report. */
  reportError(error: unknown): undefined
  /** Does nothing. */
  close(): void
}

/**
 * Creates a server from a recording, for clients of any revision. A request with the recorded method, name and arguments gets the recorded
 * response, any number of times; one with other arguments gets the response to the last request of the same name.
 *
 * @throws SyntaxError if the recording is invalid.
 */
export function serveRecording(recording: Recording | string): RecordedServer {
  const replay = replayExchange(recording, { repeat: true })
  const { info, capabilities, instructions } = snapshotOfRecording(recording)
  const discovered = {
    resultType: 'complete',
    supportedVersions: [MODERN_VERSION],
    capabilities: capabilities ?? { tools: {}, resources: {}, prompts: {} },
    _meta: { [MetaKey.serverInfo]: info ?? { name: 'recording', version: '1.0.0' } },
    ...(instructions !== undefined && { instructions }),
  }
  const exchange: Exchange = async (request, context) => {
    if (request.method === 'server/discover')
      return { jsonrpc: '2.0', id: request.id, result: { ...discovered, ttlMs: 0, cacheScope: 'private' } }
    try {
      return await replay(request, context)
    } catch (error) {
      context.signal.throwIfAborted()
      const isUnknown = !METHODS.has(request.method)
      return failure(request.id, {
        code: isUnknown ? -32601 : -32602,
        message: error instanceof Error ? error.message : String(error),
      })
    }
  }
  return { exchange, reportError: () => undefined, close() {} }
}
