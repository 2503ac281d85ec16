/** Where the command writes and reads: data to stdout, talk to stderr. */
import { plain } from './show/plain.ts'

export interface Io {
  /** Whether results are wanted verbatim, as JSON. */
  readonly json: boolean
  /** Whether somebody can be asked: stdin and stderr are a terminal, and `--no-input` was not given. */
  readonly interactive: boolean
  /** Whether stderr is a terminal, for what moves. */
  readonly lively: boolean
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal
  /** Writes a line of data to stdout. On a terminal, what could steer it is made visible. */
  data(text: string): void
  /** Writes a value as JSON to stdout: on one line. */
  value(value: unknown): void
  /** Writes a line for people to stderr. */
  talk(text: string): void
  /** Writes to stderr as it is, without a line's end. */
  draw(text: string): void
}

export interface IoOptions {
  readonly json: boolean
  readonly input: boolean
  readonly signal: AbortSignal
}

/** Makes the streams of a command. */
export function createIo({ json, input, signal }: IoOptions): Io {
  const { stdin, stdout, stderr } = process
  const write = stdout.write.bind(stdout)
  const put = (text: string): void => void write(`${stdout.isTTY ? plain(text) : text}\n`)
  return {
    json,
    interactive: input && stdin.isTTY === true && stderr.isTTY === true,
    lively: stderr.isTTY === true,
    signal,
    data: put,
    value: (value) => put(JSON.stringify(value)),
    talk: (text) => void stderr.write(`${stderr.isTTY ? plain(text) : text}\n`),
    draw: (text) => void stderr.write(text),
  }
}

/** From now on what others print to stdout goes to stderr: stdout belongs to the data. Returns what takes that back. */
export function guardStdout(): () => void {
  const { stdout, stderr } = process
  const { write } = stdout
  stdout.write = stderr.write.bind(stderr) as typeof write
  return () => {
    stdout.write = write
  }
}
