import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import type { Revision } from '../protocol/revisions.ts'
import { TASK_SUPPORT } from '../protocol/tasks.ts'
import type { Implementation } from '../protocol/types.ts'
import { mapItems, type Plan, planOf, withField, without } from './plan.ts'
import { renderAnnotated } from './render-content.ts'
import { renderInputSchema, renderOutputSchema } from './render-schema.ts'

/** Renders a tool: its fields, and its schemas as far as the revision restricts them. */
export function renderTool(tool: JsonObject & { [TASK_SUPPORT]?: unknown }, { foreign, revision }: Plan): JsonObject {
  let rendered = without(tool, foreign.tool)
  const taskSupport = tool[TASK_SUPPORT]
  if (taskSupport !== undefined && revision.fields.tool.includes('execution'))
    rendered = withField(rendered, 'execution', { taskSupport })
  const { inputSchema, outputSchema } = rendered
  if (isObject(inputSchema)) rendered = withField(rendered, 'inputSchema', renderInputSchema(inputSchema))
  if (isObject(outputSchema)) rendered = withField(rendered, 'outputSchema', renderOutputSchema(outputSchema))
  return withTitle(rendered, tool.title, revision)
}

/** Moves the title of a tool into its annotations where only those have one. */
function withTitle(tool: JsonObject, title: unknown, { fields }: Revision): JsonObject {
  if (title === undefined || fields.tool.includes('title') || !fields.tool.includes('annotations')) return tool
  const annotations = isObject(tool.annotations) ? tool.annotations : {}
  return { ...tool, annotations: { title, ...annotations } }
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
  const { arguments: list } = rendered
  return Array.isArray(list) ? withField(rendered, 'arguments', mapItems(list, renderArgument, plan)) : rendered
}

function renderArgument(argument: JsonObject, { foreign }: Plan): JsonObject {
  return without(argument, foreign.promptArgument)
}

/** Renders what a server says about itself. */
export function renderImplementation(info: Implementation, revision: Revision): JsonObject {
  return without({ ...info }, planOf(revision).foreign.implementation)
}
