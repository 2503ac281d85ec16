import { type ProbeTool, probeTool } from './probe-tool.ts'

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, at) => from + at)

/** The lengths of names: each near the limits that hosts have, with and without a prefix; some others. */
const LENGTHS = [...range(28, 70), 80, 100, ...range(108, 130), 160, 200, 256]

/** All characters of ASCII that are no letters or digits, and two others. */
export const ODD_CHARACTERS: readonly string[] = [
  ...range(0x20, 0x7e)
    .map((code) => String.fromCharCode(code))
    .filter((character) => !/[a-zA-Z0-9]/.test(character)),
  'é',
  '漢',
]

/** The characters with which a name starts. */
export const FIRST_CHARACTERS: readonly string[] = ['1', 'A', '_', '-', '.']

/** Writes a character so that names with different characters stay different when a host replaces them. */
const codeOf = (character: string): string => `u${(character.codePointAt(0) ?? 0).toString(16)}`

export const LENGTH_PROBES: readonly (ProbeTool & { readonly length: number })[] = LENGTHS.map((length) => ({
  ...probeTool(`length/${length}`, `n${length}`.padEnd(length, 'x')),
  length,
}))

export const CHARACTER_PROBES: readonly (ProbeTool & { readonly character: string })[] = ODD_CHARACTERS.map((character) => ({
  ...probeTool(`character/${codeOf(character)}`, `${codeOf(character)}${character}z`),
  character,
}))

export const FIRST_PROBES: readonly (ProbeTool & { readonly character: string })[] = FIRST_CHARACTERS.map((character) => ({
  ...probeTool(`first/${codeOf(character)}`, `${character}first${codeOf(character)}`),
  character,
}))

/** The names of arguments: one with each odd character, and long ones. */
export const ARGUMENT_PROBES: readonly (ProbeTool & { readonly argument: string })[] = [
  ...ODD_CHARACTERS.map((character) => `a${character}b`),
  ...[64, 65, 128, 256].map((length) => 'x'.repeat(length)),
].map((argument, at) => ({
  ...probeTool(`argument/${at}`, `argument${at}`, { schema: { properties: { [argument]: { type: 'string' } } } }),
  argument,
}))
