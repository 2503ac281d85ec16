import type { JsonObject } from 'portcall/jsonrpc'
import type { ResultPart } from './probes/results.ts'

/** The treatment of something by a host: it passes it on as it is, changes it, or leaves the tool out. */
export type Treatment<T> = 'kept' | 'left out' | { readonly to: T }

/** How a host treats characters: those that it keeps, those that it replaces, and those with which it leaves the tool out. */
export interface CharacterRecord {
  readonly kept: string
  readonly replaced: string
  readonly leftOut: string
}

/** The outcome of the probes in one host. */
export interface HostRecord {
  /** The package of the program with its version. */
  readonly program: string
  /** The day, as in 2026-11-27. */
  readonly measured: string
  readonly names: {
    /** The name that the model sees. */
    readonly form: string
    /** The longest name that stays whole, with what the host adds. Null: all did. */
    readonly longest: number | null
    /** The effect on a longer one. */
    readonly longer: 'shortened' | 'left out' | null
    readonly characters: CharacterRecord
    /** The first characters of names. */
    readonly first: CharacterRecord
  }
  readonly arguments: {
    readonly characters: CharacterRecord
    /** The longest name of an argument that the host accepts. Null: all. */
    readonly longest: number | null
    /** The arguments that it adds to each tool. */
    readonly added: readonly string[]
    /** True if the server gets them. */
    readonly addedAreSent: boolean
  }
  /** The longest text that reaches the model, and what happens to a longer one. */
  readonly texts: { readonly [kind in 'description' | 'argumentDescription' | 'instructions' | 'result']: TextRecord }
  /** How many of 300 tools the model gets. */
  readonly tools: number
  /** The schema of a plain tool, if the host changes it. */
  readonly plainSchema: Treatment<JsonObject>
  /** The effect on keywords beside `properties`: the whole schema. */
  readonly root: { readonly [keyword: string]: Treatment<JsonObject> }
  /** The effect on keywords in place of `properties`: the whole schema. */
  readonly alone: { readonly [keyword: string]: Treatment<JsonObject> }
  /** The effect on keywords of a property: the schema of the property. */
  readonly nested: { readonly [keyword: string]: Treatment<unknown> }
  /** The parts of each result that reach the model. */
  readonly results: { readonly [result: string]: readonly ResultPart[] }
  readonly wire: {
    readonly protocolVersion: string
    /** The methods of the requests and notifications, without repetitions. */
    readonly methods: readonly string[]
    /** The headers of requests whose names start with `mcp-`. */
    readonly headers: readonly string[]
    readonly capabilities: JsonObject
    /** The members that it adds to `_meta` of a call. */
    readonly callMeta: readonly string[]
    /** How it ends a call that takes too long. */
    readonly cancels: 'sends notifications/cancelled' | 'closes the request' | 'waits'
    /** True if it also cancels calls that were answered. */
    readonly cancelsAnswered: boolean
  }
}

/** A text of which a host passes on `whole` characters; of a longer one the first `kept`. */
export interface TextRecord {
  /** The longest text that stayed whole. */
  readonly whole: number
  /** How many characters of the longest one stayed. Equal to its length: no limit was found. */
  readonly kept: number
  /** The length of the longest one. */
  readonly longest: number
}

/** The outcomes of all hosts, by the name of the host. */
export type Recording = { readonly [host: string]: HostRecord }
