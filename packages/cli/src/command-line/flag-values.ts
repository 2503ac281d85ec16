import { usageError } from '../cli-error.ts'

/**
 * Reads headers written as `Name: value` or `Name=value`. `${NAME}` is replaced with an environment variable, because hosts start
 * programs without a shell, and other processes can see the arguments of a program.
 */
export function readHeaderFlags(values: readonly string[]): Record<string, string> {
  const headers = parseHeaderFlags(values)
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, expandFlag(value, `--header ${name}`)]))
}

/** `${NAME}`, `${env:NAME}` or `${NAME:-default}`, as in configurations. */
const VARIABLE = /\$\{(?:env:)?(?<name>[A-Za-z_]\w*)(?::-(?<fallback>[^{}]*))?\}/g

/** Replaces variables in the value of an option. @throws CliError if one is not set and has no default. */
export function expandFlag(text: string, option: string): string {
  return text.replaceAll(VARIABLE, (_match, name: string, fallback: string | undefined) => {
    const value = process.env[name]
    if (value !== undefined && (value !== '' || fallback === undefined)) return value
    if (fallback !== undefined) return fallback
    throw usageError(`${option} needs the variable ${name}, which is not set`)
  })
}

/** Reads headers, and leaves variables as they are, for a file whose host replaces them. */
export function parseHeaderFlags(values: readonly string[]): Record<string, string> {
  const entries = values.map((text) => {
    const [, name, value] = /^([^:=\s]+)\s*[:=]\s*(.*)$/s.exec(text) ?? []
    if (name === undefined || value === undefined)
      throw usageError(`${JSON.stringify(text)} is not a header`, 'write --header "Name: value"')
    return [name, value]
  })
  return Object.fromEntries(entries)
}

/** Reads environment variables written as `NAME=VALUE`, or as `NAME` for the current value. */
export function readEnvFlags(values: readonly string[]): Record<string, string> {
  const entries = values.map((text) => {
    const at = text.indexOf('=')
    const name = at === -1 ? text : text.slice(0, at)
    const value = at === -1 ? process.env[name] : text.slice(at + 1)
    if (value === undefined) throw usageError(`the variable ${name} is not set`, `write --env ${name}=VALUE`)
    return [name, value]
  })
  return Object.fromEntries(entries)
}

/** Resolves to the value of `--protocol-version`. @throws CliError if there is no such version. */
export async function readVersionFlag(version: string | undefined): Promise<string | undefined> {
  if (version === undefined) return undefined
  const { SUPPORTED_VERSIONS } = await import('portcall/client')
  if (SUPPORTED_VERSIONS.includes(version)) return version
  throw usageError(`--protocol-version must be one of ${SUPPORTED_VERSIONS.join(', ')}, not ${version}`)
}

/** Returns the value of `--count`: infinity without one. @throws CliError if it is no positive integer. */
export function readCountFlag(text: string | undefined): number {
  if (text === undefined) return Number.POSITIVE_INFINITY
  const count = Number(text)
  if (!Number.isInteger(count) || count < 1) throw usageError(`--count must be a positive integer, not ${text}`)
  return count
}

/** Returns the port that an option names; 0 stands for any free one. @throws CliError if the text is no port, or a smaller one than `min`. */
export function readPortFlag(flag: string, text: string, min = 0): number {
  return readPort(`--${flag}`, text, min)
}

/** Returns the port of `--port`, or else of the variable `PORT`, or else 3000. @throws CliError if that is no port. */
export function readListenPort(flag: string | undefined): number {
  return flag === undefined ? readPort('PORT', process.env.PORT || '3000', 0) : readPortFlag('port', flag)
}

function readPort(name: string, text: string, min: number): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (port >= min && port <= 65_535) return port
  throw usageError(`${name} must be a port number, not ${text}`)
}

/** Returns the milliseconds of an option that has seconds. @throws CliError if the text is no positive number. */
export function readSecondsFlag(flag: string, text: string): number {
  const ms = Number(text) * 1000
  if (ms > 0) return ms
  throw usageError(`--${flag} must be a number of seconds, not ${text}`)
}
