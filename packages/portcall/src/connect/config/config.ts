import { checkOptions, type OptionNames } from '../../../../util/src/check-options.ts'
import { isObject } from '../../jsonrpc/message.ts'
import { checkConfigText } from './check-text.ts'
import type { Config, ReadConfigOptions } from './types.ts'

/** The names of the options of `readConfig`. */
export const READ_CONFIG_OPTIONS: OptionNames<ReadConfigOptions> = {
  env: 'object',
  inputs: 'object',
  directory: 'text',
  onVariable: 1,
  format: ['json', 'toml', 'yaml'],
  disabledServers: 'texts',
  disabledTools: 'texts',
  allowNoServers: 'boolean',
}

/**
 * Reads the MCP configuration of a host, as text (JSON with comments, TOML or YAML) or parsed. The servers may be under `mcpServers`,
 * `servers`, `mcp`, `mcp.servers`, `context_servers`, `mcp_servers` or `extensions`. An invalid entry does not affect the others: its error is
 * returned in its place.
 *
 * @throws ConfigError when the text is invalid, or contains no servers; TypeError for a path, and for options that do not exist.
 */
export async function readConfig(config: string | object, options: ReadConfigOptions = {}): Promise<Config> {
  checkOptions('readConfig()', options, { names: READ_CONFIG_OPTIONS })
  if (!isObject(config) || config instanceof Uint8Array) checkConfigText(config, 'readConfig')
  const { readConfigServers } = await import('./read-servers.ts')
  return readConfigServers(config, options)
}
