import type { HostLimit, HostProfile, HostRule } from './host-rule.ts'
import type { MeasuredHost } from './measured-hosts.ts'

/** Turns what a host was seen to do into rules. */
export function profileOf(measured: MeasuredHost): HostProfile {
  const { host, program, checked, name, nameCharacters, argumentNames, description, argumentDescription, instructions } = measured
  const { rootChanged, rootRefused, rootBroken, tools } = measured
  const at = program.lastIndexOf('@')
  const source = `https://www.npmjs.com/package/${program.slice(0, at)}/v/${program.slice(at + 1)}`
  const rule = (effect: HostRule['effect'], limit: HostLimit): HostRule => ({ ...limit, effect, source, checked })
  return {
    host,
    rules: [
      tools !== undefined && rule('changes', { kind: 'tools', most: tools }),
      name && rule(name.effect, { kind: 'name', most: name.most, nameOf: nameIn(name.form) }),
      nameCharacters && rule(nameCharacters.effect, charactersOf(nameCharacters.kept)),
      argumentNames && rule(argumentNames.effect, argumentsOf(argumentNames)),
      description !== undefined && rule('changes', { kind: 'description', most: description }),
      argumentDescription !== undefined && rule('changes', { kind: 'argument-description', most: argumentDescription }),
      instructions !== undefined && rule('changes', { kind: 'instructions', most: instructions }),
      rootRefused && rule('refuses', { kind: 'root', keywords: rootRefused }),
      rootChanged && rule('changes', { kind: 'root', keywords: rootChanged }),
      rootBroken && rule('changes', { kind: 'root', keywords: rootBroken, unless: 'properties' }),
    ].filter((one) => one !== undefined && one !== false),
  }
}

const nameIn =
  (form: string) =>
  (server: string, tool: string): string =>
    form.replace('SERVER', () => server).replace('TOOL', () => tool)

/** The pattern of names that stay as they are. A `-` that becomes `_` counts as such: the name stays readable, and `hostNotes` tells it. */
function charactersOf(kept: string): HostLimit {
  const characters = [...new Set(`${kept}_-`)].filter((character) => character !== '-')
  const pattern = new RegExp(`^[a-zA-Z0-9${characters.map(escapeCharacter).join('')}-]+$`)
  const others = characters.filter((character) => character !== '_')
  return { kind: 'characters', pattern, words: `letters, digits, ${['_', ...others].join(', ')} and -` }
}

function argumentsOf({ kept, most }: NonNullable<MeasuredHost['argumentNames']>): HostLimit {
  const characters = [...kept].filter((character) => character !== '-').map(escapeCharacter)
  const dash = kept.includes('-') ? '-' : ''
  return { kind: 'argument', pattern: new RegExp(`^[a-zA-Z0-9${characters.join('')}${dash}]{1,${most ?? ''}}$`) }
}

const escapeCharacter = (character: string): string => character.replace(/[\\\]^]/, '\\$&')
