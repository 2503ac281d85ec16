import { isObject } from '../jsonrpc/message.ts'

/** Returns the part of a document that a reference such as `#/a/b` points to. */
export function resolveRef(ref: string, root: unknown): unknown {
  if (!ref.startsWith('#')) return undefined
  const segments = ref.slice(1).split('/').slice(1)
  return segments
    .map((segment) => decodeSegment(segment).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((node, segment) => (isObject(node) && Object.hasOwn(node, segment) ? node[segment] : undefined), root)
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
