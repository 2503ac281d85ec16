import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { typeOfSchema } from '../../schema/typescript.ts'

/** A tool as a function of a program. */
export interface ToolFunction {
  /** The name of the function. */
  readonly name: string
  readonly tool: JsonObject
}

const MAX_COMMENT_LENGTH = 300
const TYPE_LIMITS = { maxDepth: 6, maxLength: 4000 }

/** Gives each tool the name of a function: characters that names cannot have become underscores. */
export function functionsOf(tools: readonly JsonObject[]): readonly ToolFunction[] {
  const taken = new Set<string>()
  return tools.map((tool) => {
    const base = String(tool.name)
      .replace(/[^\w$]/g, '_')
      .replace(/^(?=\d)/, '_')
    let name = base
    for (let number = 2; taken.has(name); number++) name = `${base}_${number}`
    taken.add(name)
    return { name, tool }
  })
}

/** Declares functions in TypeScript. */
export function declareFunctions(functions: readonly ToolFunction[]): string {
  return functions
    .map(({ name, tool }) => {
      const { description, title, inputSchema, outputSchema } = tool
      const text = String(description ?? title ?? '')
        .replaceAll('*/', '* /')
        .replace(/\s+/g, ' ')
        .trim()
      const comment =
        text === '' ? '' : `/** ${text.length > MAX_COMMENT_LENGTH ? `${text.slice(0, MAX_COMMENT_LENGTH)}…` : text} */\n`
      const output = outputSchema === undefined ? 'string' : typeOfSchema(outputSchema, TYPE_LIMITS)
      return `${comment}tools.${name}(${parametersOf(inputSchema)}): Promise<${output}>`
    })
    .join('\n')
}

function parametersOf(inputSchema: unknown): string {
  const { properties, required } = isObject(inputSchema) ? inputSchema : {}
  if (!isObject(properties) || Object.keys(properties).length === 0) return ''
  const isOptional = !Array.isArray(required) || required.length === 0
  return `args${isOptional ? '?' : ''}: ${typeOfSchema(inputSchema, TYPE_LIMITS)}`
}
