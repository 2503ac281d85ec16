/** Changes of a configuration as text: everything that is not the one entry stays, comments and spaces included. */

/** The place of an entry: the member that holds the servers, and the name of one. */
export interface Place {
  readonly key: string
  readonly name: string
}

export interface Editor {
  /** The entry, when there is one. @throws Error when the text cannot be read. */
  read(text: string, place: Place): Promise<unknown>
  /** Puts an entry in, in the place of the one that is there. */
  put(text: string, place: Place, entry: object): Promise<string>
  /** Takes an entry out; the text as it is when there is none. */
  remove(text: string, place: Place): Promise<string>
}
