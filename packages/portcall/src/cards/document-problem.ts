/** A fault of a server card or of a catalog. */
export interface DocumentProblem {
  /** The member, such as `remotes[0].url`; empty for the document as a whole. */
  readonly path: string
  /** The fault: `must be …`, `is missing`. */
  readonly message: string
}

/** Adds a problem. */
export type Report = (path: string, message: string) => void

/** The most problems that are listed of a document. */
const MAX_PROBLEMS = 50

/** Creates a list of problems and the function that adds to it. */
export function createReporter(): { readonly problems: DocumentProblem[]; readonly report: Report } {
  const problems: DocumentProblem[] = []
  const report: Report = (path, message) => {
    if (problems.length < MAX_PROBLEMS) problems.push({ path, message })
  }
  return { problems, report }
}

/** Describes problems in one line. */
export function describeProblems(problems: readonly DocumentProblem[]): string {
  return problems.map(({ path, message }) => `${path || 'the document'} ${message}`).join('; ')
}
