/** The exit codes of the command. */
export const EXIT_CODES = {
  success: 0,
  failed: 1,
  usage: 2,
  rejected: 3,
  unreachable: 4,
  timeout: 5,
  unauthorized: 6,
  input_required: 7,
  internal: 70,
  interrupted: 130,
} as const

/** The name of an exit code. */
export type ExitReason = keyof typeof EXIT_CODES

/** The meaning of each exit code, for help and documentation. */
export const EXIT_DESCRIPTIONS: { readonly [reason in ExitReason]: string } = {
  success: 'Success.',
  failed: 'A tool, `check`, `doctor`, `apps` or calls of `bench` failed, or a comparison found differences.',
  usage: 'Invalid command line or arguments; nothing was sent.',
  rejected: 'The server responded with an error or an invalid result.',
  unreachable: 'The server could not be reached or started, or the connection was lost.',
  timeout: 'The request timed out.',
  unauthorized: 'Authorization is required or failed.',
  input_required: 'Input required but not available.',
  internal: 'Internal error of the command; please report it.',
  interrupted: 'Interrupted by Ctrl-C, SIGTERM or SIGHUP.',
}
