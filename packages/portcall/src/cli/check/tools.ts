import type { Tool } from '../../client.ts'
import { isObject } from '../../jsonrpc.ts'
import type { Report } from './finding.ts'
import { checkSchema } from './schemas.ts'

/** What the interfaces of all large models take as the name of a tool. */
const NAME = /^[a-zA-Z0-9_-]{1,64}$/
/** Hosts put the name of the server in front. */
const ROOMY = 40
/** The longest description that all of them take. */
const MAX_DESCRIPTION = 1024

/** Looks at one tool. */
export async function checkTool(tool: Tool, report: Report): Promise<void> {
  const { name, description, inputSchema, outputSchema } = tool
  if (!NAME.test(name)) report('error', 'tool-name', 'hosts take names of 1 to 64 letters, digits, _ and -')
  else if (name.length > ROOMY)
    report('warning', 'tool-name-length', `${name.length} characters; with the name of the server in front, some hosts refuse it`)
  if (!description?.trim()) report('warning', 'tool-description', 'a model does not know what it is for: there is no description')
  else if (description.length > MAX_DESCRIPTION)
    report('warning', 'tool-description-length', `${description.length} characters; some hosts take ${MAX_DESCRIPTION}`)
  await checkSchema(inputSchema, 'input', report)
  if (outputSchema !== undefined) await checkSchema(outputSchema, 'output', report)
  checkAnnotations(tool, report)
}

function checkAnnotations({ annotations }: Tool, report: Report): void {
  if (!isObject(annotations)) return
  const { readOnlyHint, destructiveHint, idempotentHint } = annotations
  if (readOnlyHint === true && destructiveHint === true)
    report('error', 'annotations', 'it cannot only read (readOnlyHint) and destroy (destructiveHint)')
  if (readOnlyHint === true && idempotentHint === false)
    report('warning', 'annotations', 'what only reads (readOnlyHint) can be done twice; idempotentHint says it cannot')
}
