import { exceedsDepth } from '../../jsonrpc/depth.ts'
import { ErrorCode } from '../../jsonrpc/errors.ts'
import { HttpError, refuse } from './http-error.ts'
import type { Body } from './types.ts'

/** Reads the JSON of a body. @throws HttpError 400 when it is not JSON, or nests deeper than `maxDepth`. */
export function parseBody(body: Body, maxDepth: number): unknown {
  if ('parsed' in body) {
    if (isDeeper(body.parsed, maxDepth)) throw tooDeep(maxDepth)
    return body.parsed
  }
  if (exceedsDepth(body.text, maxDepth)) throw tooDeep(maxDepth)
  try {
    return JSON.parse(body.text)
  } catch {
    throw new HttpError(400, {}, { code: ErrorCode.parseError, message: 'Parse error: the body is not JSON' })
  }
}

function tooDeep(maxDepth: number): HttpError {
  return refuse(400, `Invalid request: the body nests deeper than ${maxDepth} levels`)
}

/** Goes down level by level, so that no nesting is too deep for it. */
function isDeeper(value: unknown, max: number): boolean {
  let level = containers([value])
  for (let depth = 0; depth < max; depth++) {
    if (level.length === 0) return false
    level = level.flatMap((container) => containers(Object.values(container)))
  }
  return level.length > 0
}

function containers(values: readonly unknown[]): object[] {
  return values.filter((value): value is object => typeof value === 'object' && value !== null)
}
