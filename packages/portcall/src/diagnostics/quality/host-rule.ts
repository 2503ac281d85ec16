import type { JsonObject } from '../../jsonrpc/message.ts'

/** A limit: what happens to what exceeds it, and where that was seen. */
export type HostRule = {
  /** `changes`: the host shortens, renames or drops it. `refuses`: the host or the API reports an error, or the tool is missing. */
  readonly effect: 'changes' | 'refuses'
  /** The address of the document, issue or file that shows the limit, or of the version of the program that showed it when it ran. */
  readonly source: string
  /** The day of the last look at the source, or of the run. */
  readonly checked: string
} & HostLimit

/** The subject of a rule. */
export type HostLimit =
  /** The number of tools, of all servers together. */
  | { readonly kind: 'tools'; readonly most: number }
  /** The length of the name that the model sees. Default of `nameOf`: the name of the tool. */
  | { readonly kind: 'name'; readonly most: number; readonly nameOf?: (server: string, tool: string) => string }
  /** The characters of names, in words and as a pattern. */
  | { readonly kind: 'characters'; readonly pattern: RegExp; readonly words: string }
  /** The length of descriptions. */
  | { readonly kind: 'description'; readonly most: number }
  /** The names of arguments. */
  | { readonly kind: 'argument'; readonly pattern: RegExp }
  /** The length of the descriptions of arguments. */
  | { readonly kind: 'argument-description'; readonly most: number }
  /** The length of the instructions of a server. */
  | { readonly kind: 'instructions'; readonly most: number }
  /** Forms that no part of an input schema may have. */
  | { readonly kind: 'shape'; readonly words: string; readonly matches: (schema: JsonObject) => boolean }
  /** The keywords that the root of an input schema must not have, unless it also has another one. */
  | { readonly kind: 'root'; readonly keywords: readonly string[]; readonly unless?: string }

/** A host or an API, and what it is known not to accept. */
export interface HostProfile {
  readonly host: string
  readonly rules: readonly HostRule[]
}
