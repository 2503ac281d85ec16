import { describe } from '../../../../util/src/describe.ts'

const CONFIG_PATH = /^[^\n{}]{1,1000}\.(?:jsonc?|json5|toml|ya?ml)$/i

/** Checks that a configuration is a text, and not the path of its file. `name` is the function that takes it. @throws TypeError */
export function checkConfigText(config: unknown, name: string): void {
  const usage = `${name}(await readFile(path, 'utf8'), { directory: dirname(path) })`
  const given = config instanceof Uint8Array ? 'bytes' : describe(config)
  if (typeof config !== 'string')
    throw new TypeError(`${name}() needs the text of a configuration or the parsed object, not ${given}: ${usage}`)
  if (CONFIG_PATH.test(config.trim()))
    throw new TypeError(`${name}() needs the text of a configuration, not its path ${JSON.stringify(config)}: ${usage}`)
}
