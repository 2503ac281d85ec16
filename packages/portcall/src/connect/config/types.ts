import type { ConfigFormat } from './document-types.ts'
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
      /** The fault in the configuration of the server. */
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
  /** The servers that are switched off elsewhere, for instance in the settings of their host. Default: none. */
  readonly disabledServers?: readonly string[]
  /** The tools that are switched off elsewhere, as `server__tool`. `*` stands for any characters. Default: none. */
  readonly disabledTools?: readonly string[]
  /** Reads a configuration that has no place for servers, such as the settings of a host without any, as an empty one. Default: it is an error. */
  readonly allowNoServers?: boolean
}
