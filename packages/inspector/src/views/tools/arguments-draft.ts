import type { Signal } from '@preact/signals'
import { initialValue, jsonText } from '../../schema/value.ts'
import { draft } from '../../state/drafts.ts'
import type { Tool } from '../../state/protocol.ts'

/** The key of what a person has typed for a tool. */
export const draftKey = (serverId: string, { name }: Tool): string => `tool ${serverId} ${name}`

/** Returns the arguments that a form starts with, as text. */
export const initialArguments = ({ inputSchema }: Tool): string => jsonText(initialValue(inputSchema, inputSchema) ?? {})

/** The arguments of a tool that a person has typed, as text. */
export const argumentsOf = (serverId: string, tool: Tool): Signal<string> =>
  draft(draftKey(serverId, tool), () => initialArguments(tool))
