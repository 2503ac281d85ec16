import { isUrl } from '../../../../util/src/parse-url.ts'
import { showInvisible } from '../../../../util/src/printable.ts'
import { isObject } from '../../jsonrpc/message.ts'
import type { Prompt, Resource, ResourceTemplate, Tool } from '../../protocol/types.ts'
import type { ReportFinding } from './finding.ts'
import { checkSchema } from './schema-rules.ts'

export async function checkTool(tool: Tool, report: ReportFinding): Promise<void> {
  const { name, title, description, inputSchema, outputSchema } = tool
  if (!description?.trim()) report('warning', 'tool-description', 'no description: models do not know what the tool is for')
  checkHiddenCharacters({ name, title, description, inputSchema, outputSchema }, report)
  await checkSchema(inputSchema, 'input', report)
  if (outputSchema !== undefined) await checkSchema(outputSchema, 'output', report)
  checkAnnotations(tool, report)
}

/** Characters that people do not see can carry instructions for models. */
function checkHiddenCharacters(definition: object, report: ReportFinding): void {
  const json = JSON.stringify(definition).replace(/\\[nrt]/g, ' ')
  const [hidden] = /<U\+[0-9A-F]+>/.exec(showInvisible(json).replace(/<U\+(FE0F|200D)>/g, '')) ?? []
  if (hidden !== undefined) report('warning', 'hidden-characters', `the definition contains ${hidden}, which people cannot see`)
}

function checkAnnotations({ annotations }: Tool, report: ReportFinding): void {
  const { readOnlyHint, destructiveHint, idempotentHint } = isObject(annotations) ? annotations : {}
  if (readOnlyHint === undefined && destructiveHint === undefined)
    report('warning', 'annotations-missing', 'neither readOnlyHint nor destructiveHint: hosts assume that the tool destroys data')
  if (readOnlyHint === true && destructiveHint === true)
    report('error', 'annotations', 'readOnlyHint and destructiveHint contradict each other')
  if (readOnlyHint === true && idempotentHint === false)
    report('warning', 'annotations', 'a read-only tool (readOnlyHint) is always idempotent, but idempotentHint is false')
}

export function checkResource({ uri, mimeType, description, title }: Resource, report: ReportFinding): void {
  if (!isUrl(uri)) report('error', 'resource-uri', 'invalid URI')
  if (!mimeType) report('warning', 'resource-type', 'no mimeType')
  if (!description && !title) report('warning', 'resource-description', 'neither a title nor a description')
}

export function checkTemplate({ uriTemplate, description, title }: ResourceTemplate, report: ReportFinding): void {
  if (!/^[a-z][a-z0-9+.-]*:/i.test(uriTemplate)) report('error', 'template-uri', 'the URI template has no scheme')
  if (!description && !title) report('warning', 'template-description', 'neither a title nor a description')
}

export function checkPrompt({ description, title, arguments: args = [] }: Prompt, report: ReportFinding): void {
  if (!description && !title) report('warning', 'prompt-description', 'neither a title nor a description')
  const undescribed = args.filter((arg) => !arg.description).map(({ name }) => name)
  if (undescribed.length > 0) report('warning', 'prompt-argument', `no description: ${undescribed.join(', ')}`)
}
