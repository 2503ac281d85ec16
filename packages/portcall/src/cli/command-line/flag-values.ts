import { usageError } from '../cli-error.ts'

/** Reads headers written as `Name: value` or `Name=value`. */
export function readHeaderFlags(values: readonly string[]): Record<string, string> {
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
