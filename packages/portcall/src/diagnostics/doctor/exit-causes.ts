/** Known reasons why programs exit, by what they print. */

interface ExitCause {
  /** Matches the line that names the cause. */
  readonly line: RegExp
  /** Matches the whole output, if the line alone is not enough. */
  readonly output?: RegExp
  readonly advice: string
}

const TYPESCRIPT = 'This version of Node does not run TypeScript: start the compiled file, or use npx tsx instead of node.'

const EXIT_CAUSES: readonly ExitCause[] = [
  {
    line: /is not in this registry|The requested resource '.{0,200}' could not be found|npm (?:error|ERR!) 404 Not Found/,
    advice: 'npm has no package of this name: check the name of the package in the command.',
  },
  {
    line: /was not found in the package registry|No matching distribution found/,
    advice: 'The Python registry has no package of this name: check the name of the package in the command.',
  },
  {
    line: /Cannot connect to the Docker daemon|error during connect:.{0,200}docker/i,
    advice: 'Start Docker, and check that this user may use it: docker ps has to work.',
  },
  {
    line: /the input device is not a TTY|cannot attach stdin to a TTY/i,
    advice: 'Leave -t out: messages are no terminal. Use docker run -i --rm.',
  },
  {
    line: /pull access denied|manifest unknown|manifest for .{0,200} not found/i,
    advice: 'Check the name and the tag of the image, and whether it needs docker login.',
  },
  {
    line: /EADDRINUSE|address already in use/i,
    advice:
      'Another program listens on this port, perhaps another instance of this server: end it, or choose another port. A server over stdio needs no port: it may have an option for stdio.',
  },
  {
    line: /ModuleNotFoundError|No module named/,
    advice:
      'Install the Python module for the interpreter that the command starts, or use the interpreter of its virtual environment.',
  },
  {
    line: /^SyntaxError: /,
    output: /\.[cm]?tsx?:\d+\s/,
    advice: TYPESCRIPT,
  },
  {
    line: /ERR_UNKNOWN_FILE_EXTENSION|Unknown file extension|version of Node cannot run .{0,1000}\.[cm]?tsx?\b/,
    advice: TYPESCRIPT,
  },
  {
    line: /ERR_MODULE_NOT_FOUND|Cannot find (?:module|package)/,
    advice: 'Check the path of the file. If it is right, install the packages of the server, and build it if it has a build.',
  },
  {
    line: /EBADENGINE|ERR_REQUIRE_ESM|SyntaxError: (?:Unexpected|Invalid or unexpected)|does not provide an export named/,
    advice: 'The server may need a newer version of its runtime: compare node --version with what its documentation requires.',
  },
  {
    line: /env: .?\w{1,64}(?:\\r|\r)|bad interpreter.{0,200}\^M/,
    advice: 'The script has Windows line endings: convert it, for example with dos2unix.',
  },
  {
    line: /\bEACCES\b|Permission denied/i,
    advice: 'Check that this user may read, write and execute the files that the line names.',
  },
  {
    line: /\b[A-Z][A-Z0-9]{0,32}_[A-Z0-9_]{1,64}\b.{0,200}\b(?:not set|missing|required|undefined|must be)\b|\b(?:missing|required|provide|set)\b.{0,200}\b[A-Z][A-Z0-9]{0,32}_[A-Z0-9_]{1,64}\b/,
    advice:
      'Set the variable in the configuration, or pass it with --env NAME=VALUE: hosts start programs with few variables of the shell.',
  },
]

const GENERAL_ADVICE =
  'Run the command in a terminal and read what it prints. Programs often lack an argument, a variable (--env) or a package.'

const NO_SERVER =
  'The program has nothing more to do. Does it serve over stdio? A module that only exports a server is started with portcall serve FILE --stdio.'

/** Lines that follow the one with the cause. */
const NOISE = /^\s+at |^Node\.js v\d|A complete log of this run|^npm (?:error|ERR!)\s*$|^\s*$/

/** Returns the line of stderr that says why a program exited with a code, and what to do. The line is empty if there is none. */
export function explainExit(stderr: string, code: number | null): { readonly cause: string; readonly advice: string } {
  const lines = stderr.trim().split('\n')
  for (const { line: pattern, output, advice } of EXIT_CAUSES) {
    if (output && !output.test(stderr)) continue
    const cause = lines.findLast((line) => pattern.test(line))
    if (cause !== undefined) return { cause: cause.trim(), advice }
  }
  const error = lines.findLast((line) => /^\S*(?:Error|Exception)\b/.test(line) && line.includes(': '))
  const cause = error ?? lines.findLast((line) => !NOISE.test(line)) ?? ''
  return { cause, advice: code === 0 && error === undefined ? NO_SERVER : GENERAL_ADVICE }
}
