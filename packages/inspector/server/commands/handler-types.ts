import type { BackendParts } from '../backend-parts.ts'
import type { CommandName, InspectorCommands } from '../protocol.ts'

/** Carries out a command. */
export type CommandHandler<Name extends CommandName> = (
  params: InspectorCommands[Name]['params'],
  parts: BackendParts,
) => Promise<InspectorCommands[Name]['result']> | InspectorCommands[Name]['result'] | void | Promise<void>

/** The handlers of some commands. */
export type CommandHandlers<Names extends CommandName> = { readonly [Name in Names]: CommandHandler<Name> }
