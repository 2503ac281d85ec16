import type { ConfigFormat } from './document.ts'
import type { ConfigError } from './errors.ts'
import type { ServerEntry } from './server-entry.ts'
import type { ConfigVariables } from './variables.ts'

/** One server of a configuration: usable, disabled or invalid. */
export type ServerConfig = {
  /** The key of the server in the configuration. */
  readonly name: string
} & (
  | ServerEntry
  | {
      /** The configuration disables the server. */
      readonly disabled: true
    }
  | {
      /** What is wrong with the configuration of the server. */
      readonly error: ConfigError
    }
)

/** The servers of a configuration, in its order. */
export interface Config {
  /** The servers: usable, disabled or invalid. */
  readonly servers: readonly ServerConfig[]
  /** Describes the servers and fields that are ignored. */
  readonly warnings: readonly string[]
}

/** How to read a configuration. Default: the environment of the process, no inputs, and the format that the text starts like. */
export type ReadConfigOptions = Partial<ConfigVariables> & {
  /** The format of the text. */
  readonly format?: ConfigFormat
}

/**
 * Reads the MCP configuration of a host, as text (JSON with comments, TOML or YAML) or parsed. The servers may be under `mcpServers`,
 * `servers`, `mcp`, `mcp.servers`, `context_servers`, `mcp_servers` or `extensions`. An invalid entry does not affect the others: its error is
 * returned in its place.
 *
 * @throws ConfigError when the text is invalid, or contains no servers.
 */
export async function readConfig(config: string | object, options: ReadConfigOptions = {}): Promise<Config> {
  const { readConfigServers } = await import('./read-servers.ts')
  return readConfigServers(config, options)
}
