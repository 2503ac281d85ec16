import type { ConnectionSettings, InspectorTarget, ServerSource } from '../protocol/servers.ts'

/** What the program that runs the inspector knows of this machine. Nothing in it starts a server. */
export interface ServerSources {
  /** The configurations of all MCP hosts. */
  list(): Promise<readonly ServerSource[]>
  /** Reads one configuration file. @throws Error if it cannot be read. */
  read(path: string): Promise<ServerSource>
  /** Understands what a person types where a command line expects a server. @throws Error if it is none. */
  parse(text: string): Promise<{ readonly target: InspectorTarget; readonly settings: ConnectionSettings }>
}
