/** Input and output of a command: data goes to stdout, messages to stderr. */
import { sanitize, sanitizeLine } from '../../util/src/printable.ts'
import { type LinePart, type LineStyle, renderLine } from './styled-line.ts'

export interface Io {
  /** True to print results as JSON. */
  readonly json: boolean
  /** True if the user can be prompted: stdin and stderr are a terminal, and `--no-input` is not set. */
  readonly interactive: boolean
  /** True if stderr is a terminal. */
  readonly isTty: boolean
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal
  /** Writes a result to stdout as it is, for other programs. On a terminal, control characters are made visible. */
  data(text: string): void
  /** Writes one line of text for people to stdout. Line breaks and control characters of others are replaced, on a terminal or not. */
  line(text: string): void
  /**
   * Writes a line of text for people to stdout. On a terminal, it is broken between words, with `indent` before the rest, and colored unless
   * NO_COLOR is set.
   */
  print(parts: readonly LinePart[], indent?: number): void
  /** Writes a value to stdout, as one line of JSON. */
  value(value: unknown): void
  /** Writes lines to stderr, all at once. Line breaks and control characters of others in them are replaced, on a terminal or not. */
  log(lines: string | readonly string[]): void
  /** Writes to stderr, without changes and without a line break. */
  draw(text: string): void
}

export interface IoOptions {
  readonly json: boolean
  readonly input: boolean
  readonly signal: AbortSignal
}

export function createIo({ json, input, signal }: IoOptions): Io {
  const { stdin, stdout, stderr } = process
  const write = stdout.write.bind(stdout)
  const data = (text: string): void => void write(`${stdout.isTTY ? sanitize(text) : text}\n`)
  return {
    json,
    interactive: input && stdin.isTTY === true && stderr.isTTY === true,
    isTty: stderr.isTTY === true,
    signal,
    data,
    line: (text) => void write(`${sanitizeLine(text)}\n`),
    print: (parts, indent) => void write(`${renderLine(parts, styleOf(stdout), indent)}\n`),
    value: (value) => data(JSON.stringify(value)),
    log: (lines) =>
      void stderr.write(
        [lines]
          .flat()
          .map((line) => `${sanitizeLine(line)}\n`)
          .join(''),
      ),
    draw: (text) => void stderr.write(text),
  }
}

/** Returns how lines look on a stream. Without a terminal they are neither broken nor colored. */
function styleOf(stream: NodeJS.WriteStream): LineStyle {
  return {
    hasColors: stream.isTTY === true && stream.hasColors(),
    width: (stream.isTTY && stream.columns) || Number.POSITIVE_INFINITY,
  }
}

const { write: writeStdout } = process.stdout

/** Redirects to stderr what other code prints to stdout, because stdout is for data. */
export function guardStdout(): void {
  const { stdout, stderr } = process
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write
}

/** Undoes `guardStdout`, for code that uses stdout for the protocol and redirects other output itself. */
export function releaseStdout(): void {
  process.stdout.write = writeStdout
}
