import type { ConfigPath } from '../../connect/config/document-types.ts'

/** Replaces the texts of a value in a message by what is written in their place. `written` has the form of the value. */
export function asWritten(message: string, value: unknown, written: unknown): string {
  const texts = textsOf(written)
  const replace = (all: string, part: string, at: number): string => {
    const text = texts[at]
    return part === '' || text === undefined || text === part ? all : all.replaceAll(part, () => text)
  }
  return textsOf(value).reduce(replace, message)
}

/** Returns the texts in a value, in its order. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : []
}

/** Returns the value to which a path leads. */
export function valueAt(root: unknown, path: ConfigPath): unknown {
  const step = (value: unknown, key: string | number): unknown =>
    typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined
  return path.reduce<unknown>(step, root)
}
