import { fieldOf } from './field.ts'
import type { Schema } from './schema.ts'

/**
 * Returns the paths of a schema for which the form has no input of their own and shows a JSON editor, although the schema describes
 * their shape. A schema that allows anything, such as `{}`, is no such case.
 */
export function fallbacksOf(schema: Schema, root: Schema = schema): string[] {
  const seen = new Set<Schema>()
  const visit = (part: Schema, path: string): string[] => {
    if (seen.has(part)) return []
    seen.add(part)
    const field = fieldOf(part, root)
    if (field.kind === 'any') return describesNothing(field.schema) ? [] : [path]
    if (field.kind === 'object') {
      const rest = field.additional === undefined ? [] : visit(field.additional, `${path}/*`)
      return [...field.members.flatMap((member) => visit(member.schema, `${path}/${member.name}`)), ...rest]
    }
    if (field.kind === 'array') {
      const rest = field.items === undefined ? [] : visit(field.items, `${path}/*`)
      return [...field.prefix.flatMap((item, index) => visit(item, `${path}/${index}`)), ...rest]
    }
    return field.kind === 'variants' ? field.variants.flatMap((variant) => visit(variant.schema, path)) : []
  }
  return visit(schema, '')
}

const ANNOTATIONS = new Set([
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  '$comment',
  '$schema',
  '$defs',
  'definitions',
  '$id',
])

const describesNothing = (schema: object): boolean => Object.keys(schema).every((keyword) => ANNOTATIONS.has(keyword))
