/** The rules for the titles of commits. */
export const MOST = 72
const TYPES = 'bench|build|chore|ci|docs|feat|fix|perf|refactor|revert|style|test'
const TITLE = new RegExp(`^(?:${TYPES})(?:\\([\\w-]+\\))?!?: (?<verb>[a-z][\\w-]*),? `)
/** Past tenses and participles, and the third person, but for verbs that end like them. */
const INFLECTED = /(?:ed|ing|[^su]s)$/
const VERBS = new Set(['bring', 'bias', 'embed', 'exceed', 'feed', 'need', 'seed', 'shed', 'speed', 'string'])

/** Returns what is wrong with a title. */
export function titleFaults(title) {
  const { verb } = TITLE.exec(title)?.groups ?? {}
  const faults = []
  if (title.length > MOST) faults.push(`${title.length} characters`)
  if (!verb) faults.push('not "type(scope): verb …"')
  else if (INFLECTED.test(verb) && !VERBS.has(verb)) faults.push(`"${verb}" is not imperative`)
  return faults
}
