import type { FlagOf, Flags } from '../command.ts'

/** Flags that every command has. */
export const COMMON: Flags = {
  json: { type: 'boolean', description: 'Print the result verbatim as JSON; errors become one line of JSON' },
  help: { type: 'boolean', short: 'h', description: 'Show this help' },
}

/** Flags of the commands that use a server. */
export const CONNECTION: { readonly [name in keyof ConnectionValues]: FlagOf<ConnectionValues[name]> } = {
  header: { type: 'string', short: 'H', multiple: true, value: 'NAME:VALUE', description: 'Add a header to every HTTP request' },
  env: {
    type: 'string',
    short: 'e',
    multiple: true,
    value: 'NAME[=VALUE]',
    description: 'Give a variable to the program that is started; without a value, the one of this shell',
  },
  cwd: { type: 'string', value: 'FOLDER', description: 'Start the program in this folder' },
  timeout: { type: 'string', short: 't', value: 'SECONDS', description: 'How long an answer may take; 60 by default' },
  revision: { type: 'string', value: 'DATE', description: 'Speak this protocol revision only' },
  root: { type: 'string', multiple: true, value: 'FOLDER', description: 'Tell the server of this folder when it asks for roots' },
  answer: {
    type: 'string',
    short: 'a',
    multiple: true,
    value: 'FIELD=VALUE',
    description: 'Answer a form of the server without asking; FIELD:=JSON for other values than text',
  },
  'no-input': { type: 'boolean', description: 'Ask nothing, even on a terminal; the server is told that it cannot ask' },
  log: {
    type: 'string',
    value: 'LEVEL',
    description: 'Show log messages of the server from this level on: debug, info, warning, error',
  },
  verbose: {
    type: 'boolean',
    short: 'v',
    description: 'Show what the program writes to stderr, and what happens to the connection',
  },
}

/** The values of `CONNECTION`, by their names. */
export interface ConnectionValues {
  readonly header: readonly string[]
  readonly env: readonly string[]
  readonly cwd: string | undefined
  readonly timeout: string | undefined
  readonly revision: string | undefined
  readonly root: readonly string[]
  readonly answer: readonly string[]
  readonly 'no-input': boolean
  readonly log: string | undefined
  readonly verbose: boolean
}
