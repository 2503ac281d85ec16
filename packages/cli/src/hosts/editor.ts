/** The entry of a server in a configuration: the member that holds the servers, and the server's name. */
export interface EntryLocation {
  readonly key: string
  readonly name: string
}

/** Edits the text of a configuration file. Everything except the one entry is preserved, including comments and whitespace. */
export interface ConfigEditor {
  /** Returns the entry, if there is one. @throws Error when the text is invalid. */
  read(text: string, location: EntryLocation): Promise<unknown>
  /** Adds or replaces the entry. */
  put(text: string, location: EntryLocation, entry: object): Promise<string>
  /** Removes the entry. Returns the text unchanged if there is none. */
  remove(text: string, location: EntryLocation): Promise<string>
}
