import type { Prompt, Resource, ResourceTemplate } from '../../client.ts'
import type { Report } from './finding.ts'

/** Looks at one resource. */
export function checkResource({ uri, mimeType, description, title }: Resource, report: Report): void {
  if (!URL.canParse(uri)) report('error', 'resource-uri', 'it is no URI')
  if (!mimeType) report('warning', 'resource-type', 'there is no mimeType')
  if (!description && !title) report('warning', 'resource-description', 'there is neither a title nor a description')
}

/** Looks at one family of resources. */
export function checkTemplate({ uriTemplate, description, title }: ResourceTemplate, report: Report): void {
  if (!/^[a-z][a-z0-9+.-]*:/i.test(uriTemplate)) report('error', 'template-uri', 'it begins with no scheme')
  if (!description && !title) report('warning', 'template-description', 'there is neither a title nor a description')
}

/** Looks at one prompt. */
export function checkPrompt({ description, title, arguments: args = [] }: Prompt, report: Report): void {
  if (!description && !title) report('warning', 'prompt-description', 'there is neither a title nor a description')
  const silent = args.filter((one) => !one.description).map(({ name }) => name)
  if (silent.length > 0) report('warning', 'prompt-argument', `without a description: ${silent.join(', ')}`)
}
