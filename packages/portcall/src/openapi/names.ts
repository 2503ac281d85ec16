import type { ApiOperation } from './document/operations.ts'

/** Hosts put the name of the server in front of the name of a tool, and allow 64 characters in total or a little more. */
const MAX_NAME_LENGTH = 60
const HASH_LENGTH = 8

/** Creates the function that names tools: at most 60 letters, digits, `_` and `-`, each name once, and the same ones every time. */
export function createToolNames(): (operation: ApiOperation, preferred?: string) => string {
  const taken = new Set<string>()
  return (operation, preferred) => {
    const base = sanitizeName(preferred ?? operation.operationId ?? '') || sanitizeName(nameOfPath(operation))
    const fits = base.length <= MAX_NAME_LENGTH && !taken.has(base.toLowerCase())
    const name = fits ? base : withHash(base, operation.id, taken)
    taken.add(name.toLowerCase())
    return name
  }
}

/** Creates the function that names the arguments of a tool: 1 to 64 letters, digits, `_`, `.` and `-`, as providers of models require. */
export function createArgumentNames(): (name: string, place: string) => string {
  const taken = new Set<string>()
  return (name, place) => {
    const base = argumentName(name) || place
    const candidates = [base, `${place}_${base}`.slice(0, 60)]
    let found = candidates.find((candidate) => !taken.has(candidate))
    for (let count = 2; found === undefined; count++) if (!taken.has(`${base}_${count}`)) found = `${base}_${count}`
    taken.add(found)
    return found
  }
}

function argumentName(name: string): string {
  return name
    .replaceAll(/[^\w.-]+/g, '_')
    .replaceAll(/^_+|(?<!_)_+$/g, '')
    .slice(0, 56)
}

/** Reports whether a parameter and its argument can have the same name. */
export function isArgumentName(name: string): boolean {
  return name !== '' && argumentName(name) === name
}

/** Returns a text as letters, digits, `_` and `-`. */
export function sanitizeName(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9_-]+/g, '_').replaceAll(/^[_-]+|(?<![_-])[_-]+$/g, '')
}

function nameOfPath({ method, path }: ApiOperation): string {
  return `${method.toLowerCase()}_${path.replaceAll(/\{([^{}]*)\}/g, 'by_$1')}`
}

function withHash(base: string, id: string, taken: ReadonlySet<string>): string {
  for (let attempt = 0; ; attempt++) {
    const suffix = `_${hash(attempt === 0 ? id : `${id} ${attempt}`)}`
    const name = `${base.slice(0, MAX_NAME_LENGTH - suffix.length).replace(/(?<![_-])[_-]+$/, '')}${suffix}`
    if (!taken.has(name.toLowerCase())) return name
  }
}

/** Returns a short hash that does not change between versions (FNV-1a in two halves). */
function hash(text: string): string {
  let [low, high] = [0x811c9dc5, 0x01000193]
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    low = Math.imul(low ^ code, 0x01000193) >>> 0
    high = Math.imul(high ^ code, 0x85ebca6b) >>> 0
  }
  return (low.toString(36).padStart(7, '0') + high.toString(36)).slice(0, HASH_LENGTH)
}
