import { checkOptions, type OptionNames } from '../../../../util/src/check-options.ts'
import { closestName } from '../../../../util/src/closest-name.ts'
import { pathOf } from '../../../../util/src/request-target.ts'
import { ErrorCode, RpcError } from '../../jsonrpc/errors.ts'
import type { Middleware } from '../../jsonrpc/exchange.ts'
import { type ToolSetOptions, toolSet } from './tool-set.ts'

/** Options of `toolSets`. */
export interface ToolSetsOptions {
  /** The sets, by name. */
  readonly sets: { readonly [name: string]: ToolSetOptions }
  /** The path of the endpoint. A set is at the path below it: `/mcp/NAME`. Default: `/mcp`. */
  readonly path?: string
}

const NAMES: OptionNames<ToolSetsOptions> = { sets: 'object', path: 'text' }
const REQUIRED = { sets: 'Pass the sets by their names' }

/**
 * Creates middleware that offers a set of tools at each path below the endpoint, and everything at the endpoint itself. Serve it with the path
 * `/mcp/*`. A path is not a secret: use rules to decide what callers may do.
 *
 * @throws TypeError if a set is invalid.
 *
 * @example
 * const gateway = createGateway({ servers, middleware: [toolSets({ sets: { dev: { tools: 'github__*' } } })] })
 * await serve(gateway, { path: '/mcp/*' })
 */
export function toolSets(options: ToolSetsOptions): Middleware {
  checkOptions('toolSets()', options, { names: NAMES, required: REQUIRED })
  const { sets, path = '/mcp' } = options
  const layers = new Map(Object.entries(sets).map(([name, options]) => [name, toolSet(options)]))
  return (request, context, next) => {
    const name = setNameOf(context.http?.target, path)
    if (name === '') return next(request, context)
    const layer = layers.get(name)
    if (layer) return layer(request, context, next)
    const hint = closestName(name, [...layers.keys()])
    const suggestion = hint === undefined ? '' : `; did you mean ${hint}?`
    throw new RpcError(ErrorCode.methodNotFound, `There is no tool set ${name.slice(0, 100)}${suggestion}`)
  }
}

/** Returns the name of the set that a request is for; an empty one if it is for everything. */
function setNameOf(target: string | undefined, path: string): string {
  if (target === undefined) return ''
  const actual = pathOf(target)
  const below = actual.startsWith(`${path}/`) ? actual.slice(path.length + 1) : ''
  return decodeSegment(below.replace(/\/$/, ''))
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
