import type { JsonObject } from '../jsonrpc/message.ts'
import type { RawOptions } from './options.ts'

/** What came back instead of the result of a request, and how it was asked for. */
export interface Unfinished {
  readonly result: JsonObject
  readonly params: JsonObject
  readonly options: RawOptions
}

/** Brings a call to its end. It has no deadline but the signal in its options; requests that it makes have their own. */
export type Finish = (unfinished: Unfinished) => Promise<JsonObject>

/** Who brings results of other types to their end, by method and `resultType`. */
export type Finishers = Map<string, Map<string, Finish>>
