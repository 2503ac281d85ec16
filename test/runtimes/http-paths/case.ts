/** A step of a client on one connection: bytes that it sends, as Latin-1 text, and pauses in milliseconds. */
export type Step = string | number

/** The bytes of a client, and how it leaves: after the responses, at once, or with a reset. */
export interface Case {
  readonly name: string
  readonly steps: readonly Step[]
  readonly leave: 'end' | 'end at once' | 'reset'
}
