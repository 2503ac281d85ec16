import type { ConnectionSettings, InspectorTarget, ServerSource } from '../protocol/servers.ts'

/** A server that a person named. */
export interface NamedServer {
  /** Where it is, or how it is started. */
  readonly target: InspectorTarget
  /** How to connect to it. */
  readonly settings: ConnectionSettings
}

/** The servers of this machine, as the program that runs the inspector knows them. Nothing in it starts a server. */
export interface ServerSources {
  /** The configurations of all MCP hosts. */
  list(): Promise<readonly ServerSource[]>
  /** Reads one configuration file. @throws Error if it cannot be read. */
  read(path: string): Promise<ServerSource>
  /** Parses what a person types: a URL, a command, a module, or a server of a configuration file. @throws Error if it is none. */
  parse(text: string): Promise<NamedServer>
}
