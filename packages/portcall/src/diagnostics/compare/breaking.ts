import { type JsonDifference, pointerSegments } from './json-diff.ts'

/** The effect of a difference on clients of the left side, with the reason. */
export interface Impact {
  readonly breaking: boolean
  readonly reason: string
}

/** The direction that a schema describes: what clients send, or what they receive. */
type SchemaUse = 'input' | 'output'

const breaks = (reason: string): Impact => ({ breaking: true, reason })
const compatible = (reason: string): Impact => ({ breaking: false, reason })

/** Texts for people and models. */
const TEXTS: ReadonlySet<string> = new Set([
  'title',
  'description',
  '$comment',
  'examples',
  'icons',
  'deprecated',
  '$schema',
  '$id',
])
/** Keywords that a larger value makes stricter, and those that a smaller value makes stricter. */
const LOWER_BOUNDS: ReadonlySet<string> = new Set([
  'minimum',
  'exclusiveMinimum',
  'minLength',
  'minItems',
  'minProperties',
  'minContains',
])
const UPPER_BOUNDS: ReadonlySet<string> = new Set([
  'maximum',
  'exclusiveMaximum',
  'maxLength',
  'maxItems',
  'maxProperties',
  'maxContains',
])

/** Judges a difference of a tool. */
export function judgeTool(difference: JsonDifference): Impact | undefined {
  const [member = '', ...path] = pointerSegments(difference.pointer)
  if (member === 'inputSchema') return judgeSchema(difference, path, 'input')
  if (member === 'outputSchema')
    return path.length === 0 ? judgeOutputSchema(difference) : judgeSchema(difference, path, 'output')
  if (member === 'annotations') return judgeAnnotation(difference, path[0] ?? '')
  return TEXTS.has(member) ? compatible('text for people and models') : undefined
}

function judgeOutputSchema({ change }: JsonDifference): Impact | undefined {
  if (change === 'removed') return breaks('clients no longer get structured content of a known form')
  return change === 'added' ? compatible('results now have a schema') : undefined
}

/** The values of hints that promise more. Losing a promise breaks clients that rely on it. */
const PROMISES: { readonly [hint: string]: boolean } = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}

function judgeAnnotation({ before, after }: JsonDifference, hint: string): Impact {
  const promise = PROMISES[hint]
  if (promise !== undefined && before === promise && after !== promise) return breaks(`${hint} is no longer ${promise}`)
  return compatible('a hint')
}

/** Where a difference is in a schema: the keyword, and what follows it. */
interface SchemaPosition {
  readonly keyword: string
  readonly rest: readonly string[]
}

/** Finds the innermost keyword on a path. Names of properties are not keywords. */
function locate(path: readonly string[]): SchemaPosition {
  let index = 0
  while (index < path.length) {
    const segment = path[index] ?? ''
    const isMap = segment === 'properties' || segment === '$defs' || segment === 'definitions' || segment === 'patternProperties'
    const isList = segment === 'anyOf' || segment === 'oneOf' || segment === 'allOf' || segment === 'prefixItems'
    const isSchema = segment === 'items' || segment === 'not' || segment === 'additionalProperties'
    const step = isMap || isList ? 2 : isSchema ? 1 : 0
    if (step === 0 || index + step >= path.length) break
    index += step
  }
  return { keyword: path[index] ?? '', rest: path.slice(index + 1) }
}

function judgeSchema(difference: JsonDifference, path: readonly string[], use: SchemaUse): Impact | undefined {
  const { keyword, rest } = locate(path)
  if (TEXTS.has(keyword)) return compatible('text for people and models')
  const judge = KEYWORDS[keyword] ?? judgeBound(keyword)
  return judge?.(difference, use, rest)
}

/** Judges a change of a keyword. */
type JudgeKeyword = (difference: JsonDifference, use: SchemaUse, rest: readonly string[]) => Impact | undefined

/** A stricter input breaks callers; a looser output breaks readers. */
function judgeDirection(isStricter: boolean, use: SchemaUse, what: string): Impact {
  if (isStricter) return use === 'input' ? breaks(`${what}: calls that worked are refused`) : compatible(`${what} is stricter`)
  return use === 'input'
    ? compatible(`${what} is looser`)
    : breaks(`${what}: results can have values that they could not have before`)
}

const KEYWORDS: { readonly [keyword: string]: JudgeKeyword } = {
  required: ({ change }, use) =>
    change === 'changed'
      ? undefined
      : judgeDirection(
          change === 'added',
          use,
          change === 'added' ? 'a new required member' : 'a member that is no longer required',
        ),
  properties: judgeProperty,
  enum: ({ change }, use) =>
    judgeDirection(change === 'removed', use, change === 'removed' ? 'a value that is no longer allowed' : 'a new value'),
  type: ({ change }, use) => {
    if (change === 'changed') return breaks('another type')
    return judgeDirection(change === 'removed', use, change === 'removed' ? 'a type that is no longer allowed' : 'a new type')
  },
  const: () => breaks('another constant'),
  format: ({ change }, use) =>
    change === 'changed' ? breaks('another format') : judgeDirection(change === 'added', use, 'the format'),
  pattern: ({ change }, use) =>
    change === 'changed' ? breaks('another pattern') : judgeDirection(change === 'added', use, 'the pattern'),
  default: () => compatible('another default'),
  additionalProperties: ({ after }, use) => judgeDirection(after === false, use, 'additional members'),
}

function judgeProperty({ change, after }: JsonDifference, use: SchemaUse): Impact | undefined {
  if (change === 'added') return compatible(use === 'input' ? 'a new argument; see whether it is required' : 'a new member')
  if (change === 'removed')
    return breaks(use === 'input' ? 'an argument that no longer exists' : 'a member that clients may read no longer exists')
  return typeof after === 'object' ? undefined : breaks('another schema')
}

function judgeBound(keyword: string): JudgeKeyword | undefined {
  const isLower = LOWER_BOUNDS.has(keyword)
  if (!isLower && !UPPER_BOUNDS.has(keyword)) return undefined
  return ({ change, before, after }, use) => {
    const isTighter = typeof before === 'number' && typeof after === 'number' && (isLower ? after > before : after < before)
    return judgeDirection(
      change === 'added' || isTighter,
      use,
      `${keyword} ${String(before ?? 'unset')} → ${String(after ?? 'unset')}`,
    )
  }
}

/** Judges a difference of a prompt. */
export function judgePrompt({ pointer, change, after }: JsonDifference): Impact | undefined {
  const [member = '', , field] = pointerSegments(pointer)
  if (TEXTS.has(member) || (field !== undefined && TEXTS.has(field))) return compatible('text for people and models')
  if (member !== 'arguments') return undefined
  if (field === 'required')
    return after === true ? breaks('an argument is now required') : compatible('an argument is no longer required')
  if (field !== undefined) return undefined
  if (change === 'removed') return breaks('an argument that no longer exists')
  const isRequired = typeof after === 'object' && after !== null && (after as { required?: unknown }).required === true
  return isRequired ? breaks('a new required argument') : compatible('a new argument')
}

/** Judges a difference of a resource or a template. */
export function judgeResource({ pointer }: JsonDifference): Impact | undefined {
  const [member = ''] = pointerSegments(pointer)
  if (member === 'mimeType') return breaks('another media type')
  return TEXTS.has(member) || member === 'name' || member === 'annotations' || member === 'size'
    ? compatible('text and hints')
    : undefined
}

/** Judges a difference of what a server says about itself. */
export function judgeServer({ pointer, change }: JsonDifference): Impact | undefined {
  const [member = ''] = pointerSegments(pointer)
  if (member !== 'capabilities') return compatible('information about the server')
  return change === 'removed' ? breaks('a capability that no longer exists') : compatible('a capability')
}
