/** How the command ends: the exit codes, and what each means to a script. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  refused: 3,
  unreachable: 4,
  late: 5,
  unauthorized: 6,
  unanswered: 7,
  broken: 70,
  interrupted: 130,
} as const

/** The name of an exit code. */
export type Ending = keyof typeof EXIT

/** What each exit code means, in words: for help and documentation. */
export const MEANINGS: { readonly [ending in Ending]: string } = {
  done: 'Done.',
  failed: 'The tool says that it failed, or `check` has found errors.',
  usage: 'The command line cannot be understood, or the arguments do not fit; nothing was sent.',
  refused: 'The server answered with an error, or with something that the protocol does not allow.',
  unreachable: 'The server cannot be reached or started, or was lost.',
  late: 'The answer did not come in time.',
  unauthorized: 'Signing in is needed, or failed.',
  unanswered: 'The server asks something that cannot be answered here.',
  broken: 'The command itself is broken; please report it.',
  interrupted: 'Interrupted by Ctrl-C.',
}
