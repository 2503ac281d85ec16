import type { Prompt, Resource, ResourceTemplate, Tool } from '../../entrypoints/client.ts'
import { isObject } from '../../entrypoints/jsonrpc.ts'
import { showInvisible } from '../../gateway/policy/show-invisible.ts'
import type { ReportFinding } from './finding.ts'
import { HOST_LIMITS, TOOL_NAME, TOOL_NAME_START } from './hosts.ts'
import { checkSchema } from './schema-rules.ts'

export async function checkTool(tool: Tool, report: ReportFinding): Promise<void> {
  const { name, inputSchema, outputSchema } = tool
  checkName(name, report)
  checkDescription(tool, report)
  checkHiddenCharacters({ name, title: tool.title, description: tool.description, inputSchema, outputSchema }, report)
  await checkSchema(inputSchema, 'input', report)
  if (outputSchema !== undefined) await checkSchema(outputSchema, 'output', report)
  checkAnnotations(tool, report)
}

function checkName(name: string, report: ReportFinding): void {
  const { limit, hosts } = HOST_LIMITS.nameWithServer
  if (!TOOL_NAME.test(name)) report('error', 'tool-name', 'hosts accept names of 1 to 64 letters, digits, _ and -')
  else if (!TOOL_NAME_START.test(name))
    report('warning', 'tool-name', 'some models accept only names that start with a letter or _')
  else if (name.length > limit)
    report('warning', 'tool-name-length', `${name.length} characters; ${hosts} reject it together with the server's name`)
}

function checkDescription({ description }: Tool, report: ReportFinding): void {
  const { limit, hosts } = HOST_LIMITS.description
  if (!description?.trim()) report('warning', 'tool-description', 'no description: models do not know what the tool is for')
  else if (description.length > limit)
    report('warning', 'tool-description-length', `${description.length} characters; ${hosts} accept ${limit}`)
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
  if (!URL.canParse(uri)) report('error', 'resource-uri', 'invalid URI')
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
