import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import type { Revision } from '../../protocol/revisions.ts'
import { TASK_SUPPORT } from '../../protocol/tasks.ts'
import type { Implementation } from '../../protocol/types.ts'
import { renderAnnotations } from './content.ts'
import { type DowngradePlan, downgradePlan, mapItems, omitFields, withViewMeta } from './downgrade-plan.ts'
import { mapField, withField } from './fields.ts'
import { renderInputSchema, renderOutputSchema } from './schema.ts'

/** Renders a tool of `tools/list`: its fields, and its schemas as far as the revision restricts them. */
export function renderTool(tool: JsonObject & { [TASK_SUPPORT]?: unknown }, { omit, revision }: DowngradePlan): JsonObject {
  let rendered = withViewMeta(omitFields(tool, omit.tool), tool)
  const taskSupport = tool[TASK_SUPPORT]
  if (taskSupport !== undefined && revision.fields.tool.includes('execution'))
    rendered = withField(rendered, 'execution', { taskSupport })
  rendered = mapField(mapField(rendered, 'inputSchema', renderInputSchema), 'outputSchema', renderOutputSchema)
  return withTitle(rendered, tool.title, revision)
}

/** Moves the title of a tool into its annotations if the revision defines it only there. */
function withTitle(tool: JsonObject, title: unknown, { fields }: Revision): JsonObject {
  if (title === undefined || fields.tool.includes('title') || !fields.tool.includes('annotations')) return tool
  const annotations = isObject(tool.annotations) ? tool.annotations : {}
  return { ...tool, annotations: { title, ...annotations } }
}

/** Renders a resource of `resources/list`. */
export function renderResource(resource: JsonObject, plan: DowngradePlan): JsonObject {
  return renderAnnotations(withViewMeta(omitFields(resource, plan.omit.resource), resource), plan)
}

/** Renders a resource template. */
export function renderTemplate(template: JsonObject, plan: DowngradePlan): JsonObject {
  return renderAnnotations(omitFields(template, plan.omit.template), plan)
}

/** Renders a prompt with its arguments. */
export function renderPrompt(prompt: JsonObject, plan: DowngradePlan): JsonObject {
  const rendered = omitFields(prompt, plan.omit.prompt)
  const { arguments: list } = rendered
  return Array.isArray(list) ? withField(rendered, 'arguments', mapItems(list, renderArgument, plan)) : rendered
}

function renderArgument(argument: JsonObject, { omit }: DowngradePlan): JsonObject {
  return omitFields(argument, omit.promptArgument)
}

/** Renders `serverInfo` or `clientInfo`. */
export function renderImplementation(info: Implementation, revision: Revision): JsonObject {
  return omitFields({ ...info }, downgradePlan(revision).omit.implementation)
}
