import type { Config, ReadConfigOptions } from './types.ts'

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
