import type { JsonObject } from '../jsonrpc/message.ts'

/** Something that listeners hear of. */
export interface ExtensionNotice {
  /** The key of the filter that asks for it. */
  readonly key: string
  /** What it is about; of two notices about one subject a slow listener may get the last only. */
  readonly subject: string
  readonly method: string
  readonly params: JsonObject
}
