import { expandTemplate } from 'portcall/client'
import { namesOfVariables, parseTemplateParts, type TemplatePart } from '../../../portcall/src/schema/uri-template/parse.ts'
import { errorMessage } from '../../../util/src/errors.ts'
import { buildArguments, readArguments } from '../arguments.ts'
import { usageError } from '../cli-error.ts'
import { type Command, defineCommand } from '../command.ts'
import { unknownName } from '../command-line/did-you-mean.ts'
import { formatResourceContents } from '../print-result.ts'
import { withClient } from '../target/connect.ts'

/** `portcall read` */
export const readCommand: Command = defineCommand({
  name: 'read',
  summary: 'Read a resource',
  serverUse: 'connect',
  args: ['<uri>', '[variables...]'],
  details: ['The URI may be a template. Pass its variables as name=text.'],
  flags: { save: { type: 'string', value: 'DIR', description: 'Save binary content to this directory' } },
  examples: [
    'portcall read http://127.0.0.1:3000/mcp notes://errors.md',
    "portcall read http://127.0.0.1:3000/mcp 'notes://{path}' path=errors.md",
  ],
  run: async ({ args: [uriOrTemplate = '', ...words], flags, io, ...invocation }) =>
    withClient({ ...invocation, flags, io }, async (client) => {
      const variables = buildArguments(await readArguments(words)) as Record<string, string>
      checkVariables(uriOrTemplate, Object.keys(variables))
      const uri = words.length > 0 ? expandTemplate(uriOrTemplate, variables) : uriOrTemplate
      const result = await client.readResource(uri, { signal: io.signal })
      if (io.json) return io.value(result)
      for (const contents of result.contents) io.data(await formatResourceContents(contents, flags.save))
    }),
})

/** The operators of expressions that can be left out, such as the query. */
const OPTIONAL: ReadonlySet<string> = new Set([';', '?', '&'])

/** @throws CliError if a variable is not in the template, or one that the path of the template has is missing. */
function checkVariables(template: string, passed: readonly string[]): void {
  const parts = passed.length > 0 || template.includes('{') ? parseTemplate(template) : []
  const names = namesOfVariables(parts)
  const unknown = passed.find((name) => !names.includes(name))
  if (unknown !== undefined) throw unknownName('variable', unknown, names)
  const required = parts.filter((part) => typeof part === 'object' && !OPTIONAL.has(part.operator))
  const missing = namesOfVariables(required).find((name) => !passed.includes(name))
  if (missing !== undefined) throw usageError(`missing variable: ${missing}`, `the URI is a template: pass ${missing}=TEXT`)
}

/** @throws CliError if the template is invalid. */
function parseTemplate(template: string): readonly TemplatePart[] {
  try {
    return parseTemplateParts(template)
  } catch (error) {
    throw usageError(errorMessage(error))
  }
}
