import type { JsonObject, JsonValue } from 'portcall/jsonrpc'
import { isLoggingLevel } from '../../../portcall/src/protocol/meta.ts'
import type { NewEntry } from '../timeline/timeline.ts'

/** The message that an entry is derived from. */
export interface DerivedFrom {
  readonly messageId: number
  readonly serverId: string
  readonly time: number
  readonly operationId: string | undefined
}

/** Returns the entry that a notification adds besides itself: progress, or a log message. */
export function derivedEntry(method: string, params: JsonObject, from: DerivedFrom): NewEntry | undefined {
  const { serverId, time, operationId, messageId } = from
  const base = { serverId, time, ...(operationId !== undefined && { operationId }) }
  if (method === 'notifications/progress' && typeof params.progress === 'number') {
    const { progress, total, message } = params
    return {
      ...base,
      type: 'progress',
      progress: progress as number,
      ...(typeof total === 'number' && { total }),
      ...(typeof message === 'string' && { message }),
    }
  }
  if (method !== 'notifications/message' || !isLoggingLevel(params.level)) return undefined
  const { level, logger, data } = params
  return {
    ...base,
    type: 'log',
    level: level as never,
    ...(typeof logger === 'string' && { logger }),
    data: (data ?? null) as JsonValue,
    messageId,
  }
}
