import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import type { Implementation } from '../protocol/types.ts'
import type { Revision } from '../protocol/revisions.ts'
import { mapItems, planOf, without, type Plan } from './plan.ts'
import { renderAnnotated } from './render-content.ts'
import { renderInputSchema, renderOutputSchema } from './render-schema.ts'

/** Renders a tool: its fields, and its schemas as far as the revision restricts them. */
export function renderTool(tool: JsonObject, { foreign, revision }: Plan): JsonObject {
  let rendered = without(tool, foreign.tool)
  if (isObject(rendered.inputSchema)) {
    const inputSchema = renderInputSchema(rendered.inputSchema)
    if (inputSchema !== rendered.inputSchema) rendered = { ...rendered, inputSchema }
  }
  if (isObject(rendered.outputSchema)) {
    const outputSchema = renderOutputSchema(rendered.outputSchema)
    if (outputSchema !== rendered.outputSchema) rendered = { ...rendered, outputSchema }
  }
  return titled(tool, rendered, revision)
}

/** The title of a tool moves to its annotations where only those have one. */
function titled(tool: JsonObject, rendered: JsonObject, revision: Revision): JsonObject {
  const { tool: fields } = revision.fields
  if (tool.title === undefined || fields.includes('title') || !fields.includes('annotations')) return rendered
  const annotations = isObject(rendered.annotations) ? rendered.annotations : {}
  return { ...rendered, annotations: { title: tool.title, ...annotations } }
}

/** Renders a resource of a list. */
export function renderResource(resource: JsonObject, plan: Plan): JsonObject {
  return renderAnnotated(without(resource, plan.foreign.resource), plan)
}

/** Renders a resource template. */
export function renderTemplate(template: JsonObject, plan: Plan): JsonObject {
  return renderAnnotated(without(template, plan.foreign.template), plan)
}

/** Renders a prompt with its arguments. */
export function renderPrompt(prompt: JsonObject, plan: Plan): JsonObject {
  const rendered = without(prompt, plan.foreign.prompt)
  if (!Array.isArray(rendered.arguments)) return rendered
  const args = mapItems<JsonObject, Plan>(rendered.arguments, renderArgument, plan)
  return args === rendered.arguments ? rendered : { ...rendered, arguments: args }
}

function renderArgument(argument: JsonObject, { foreign }: Plan): JsonObject {
  return without(argument, foreign.promptArgument)
}

/** Renders what a server says about itself. */
export function renderImplementation(info: Implementation, revision: Revision): JsonObject {
  return { ...without(info, planOf(revision).foreign.implementation) }
}
