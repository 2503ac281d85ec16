import type { FlagOf, Flags } from '../command.ts'

/** Options of every command. */
export const COMMON_FLAGS: Flags = {
  json: { type: 'boolean', description: 'Print the result as JSON; errors become one line of JSON' },
  help: { type: 'boolean', short: 'h', description: 'Show help' },
}

/** Options of the commands that connect to a server. */
export const CONNECTION_FLAGS: { readonly [name in keyof ConnectionValues]: FlagOf<ConnectionValues[name]> } = {
  header: {
    type: 'string',
    short: 'H',
    multiple: true,
    value: 'NAME:VALUE',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: how users write it
    description: 'Add a header to every HTTP request, with ${NAME} for environment variables; repeatable',
  },
  env: {
    type: 'string',
    short: 'e',
    multiple: true,
    value: 'NAME[=VALUE]',
    description: 'Set an environment variable of the program; without a value, pass on the current one; repeatable',
  },
  cwd: { type: 'string', value: 'DIR', description: 'Start the program in this directory' },
  timeout: { type: 'string', short: 't', value: 'SECONDS', description: 'Request timeout in seconds (default: 60)' },
  'protocol-version': { type: 'string', value: 'DATE', description: 'Use only this protocol version' },
  root: { type: 'string', multiple: true, value: 'DIR', description: 'Add a directory to the roots; repeatable' },
  answer: {
    type: 'string',
    short: 'a',
    multiple: true,
    value: 'FIELD=VALUE',
    description: 'Answer an elicitation without a prompt; FIELD:=JSON for values other than strings; repeatable',
  },
  'no-input': { type: 'boolean', description: 'Never prompt; do not declare elicitation' },
  log: {
    type: 'string',
    value: 'LEVEL',
    description: 'Show log messages of the server from this level on: debug, info, warning, error',
  },
  record: { type: 'string', value: 'FILE', description: 'Record all messages in this file, without secrets' },
  verbose: { type: 'boolean', short: 'v', description: 'Show connection events and the stderr of the program' },
}

/** The values of `CONNECTION_FLAGS`. */
export interface ConnectionValues {
  readonly header: readonly string[]
  readonly env: readonly string[]
  readonly cwd: string | undefined
  readonly timeout: string | undefined
  readonly 'protocol-version': string | undefined
  readonly root: readonly string[]
  readonly answer: readonly string[]
  readonly 'no-input': boolean
  readonly log: string | undefined
  readonly record: string | undefined
  readonly verbose: boolean
}
