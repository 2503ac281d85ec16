import { ConfigError } from './config-error.ts'

/** Where the values of variables come from. */
export interface Variables {
  readonly env: { readonly [name: string]: string | undefined }
  /** Answers to `${input:id}`, which some editors ask their user for. */
  readonly inputs: { readonly [id: string]: string | undefined }
}

/** `${NAME}`, `${NAME:-default}`, `${env:NAME}`, `${input:id}`; anything else between braces is left as it is. */
const VARIABLE = /\$\{(?:(env|input):)?([A-Za-z_][\w.-]*)(?::-([^{}]*))?\}/g

/**
 * Puts values in the place of variables; what a value contains is not looked at again. As in a shell, a default also stands in for a
 * value that is empty.
 *
 * @throws ConfigError that names the field and the variable when there is neither value nor default.
 */
export function expand(text: string, field: string, { env, inputs }: Variables): string {
  return text.replace(VARIABLE, (_whole, ...groups: (string | undefined)[]) => {
    const [kind, name = '', fallback] = groups
    const values = kind === 'input' ? inputs : env
    const value = Object.hasOwn(values, name) ? values[name] : undefined
    const found = fallback === undefined ? value : value || fallback
    if (found !== undefined) return found
    throw new ConfigError(
      kind === 'input' ? `${field} needs the input ${name}` : `${field} needs the variable ${name}, which is not set`,
    )
  })
}
