import { SkillError } from './entry.ts'

const SCHEME = /^[a-z][a-z0-9+.-]*:/i

/** Resolves a reference against the directory of a manifest, which ends in a slash. @throws SkillError when it leads out of it. */
export function resolveReference(reference: string, directory: string): string {
  const [path = ''] = reference.split(/[?#]/)
  if (SCHEME.test(path)) return inside(path, directory, reference)
  if (path === '' || path.startsWith('/') || path.includes('\\')) throw outside(reference)
  const segments: string[] = []
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue
    if (segment !== '..') segments.push(segment)
    else if (segments.pop() === undefined) throw outside(reference)
  }
  return directory + segments.join('/')
}

function inside(uri: string, directory: string, reference: string): string {
  if (!uri.startsWith(directory) || uri.split('/').includes('..')) throw outside(reference)
  return uri
}

function outside(reference: string): SkillError {
  return new SkillError(`${JSON.stringify(reference)} is no file of the skill: it leads out of its directory`)
}
