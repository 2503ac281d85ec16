import type { JsonObject } from '../../jsonrpc/message.ts'
import { describeGroups } from '../search/search-tools.ts'
import { declareFunctions, type ToolFunction } from './declarations.ts'

/** Functions that need no more text than this are declared in the description, so the model need not search. */
const MAX_DECLARATIONS_LENGTH = 3000

/** Returns the definitions of the tools of code mode. */
export function defineCodeTools(
  names: { readonly find: string; readonly run: string },
  functions: readonly ToolFunction[],
): JsonObject[] {
  const declarations = declareFunctions(functions)
  const isShort = declarations.length <= MAX_DECLARATIONS_LENGTH
  const groups = describeGroups(functions.map(({ tool }) => tool))
  const source = isShort ? `These functions are available:\n${declarations}` : `Find the functions with ${names.find} first.`
  const find: JsonObject = {
    name: names.find,
    description: `Finds functions for ${names.run} by what they do, and returns their TypeScript declarations. ${groups}`,
    inputSchema: {
      type: 'object',
      properties: { query: { type: 'string', description: 'What the function should do, in a few words' } },
      required: ['query'],
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  }
  const run: JsonObject = {
    name: names.run,
    description: `Runs JavaScript that calls tools as functions: \`const issue = await tools.get_issue({ id: 1 }); return issue.title\`. The code is the body of an async function; what it returns or logs is the result. Combine several calls in one program, and return only what you need. There is no network, file system or timer. ${source}`,
    inputSchema: {
      type: 'object',
      properties: { code: { type: 'string', description: 'The body of an async function in JavaScript' } },
      required: ['code'],
    },
  }
  return isShort ? [run] : [find, run]
}
