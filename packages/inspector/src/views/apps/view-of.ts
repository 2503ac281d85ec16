import { readToolView } from '../../../../portcall/src/protocol/apps.ts'
import type { Tool } from '../../state/protocol.ts'

/** Returns the URI of the view of a tool, if it has one. */
export const viewOf = (tool: Tool): string | undefined => readToolView(tool as never).resourceUri
