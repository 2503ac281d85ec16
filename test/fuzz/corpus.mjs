/** The corpus of a target: a text file with one input in each line, in Base64. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FOLDER } from './places.mjs'

const fileOf = (target) => join(FOLDER, 'corpus', `${target}.txt`)

/** Returns the inputs of a target. */
export function readCorpus(target) {
  if (!existsSync(fileOf(target))) return []
  const lines = readFileSync(fileOf(target), 'utf8').split('\n')
  return lines.filter((line) => line !== '').map((line) => Buffer.from(line, 'base64'))
}

/** Replaces the inputs of a target. */
export function writeCorpus(target, inputs) {
  const lines = inputs.map((input) => `${input.toString('base64')}\n`)
  writeFileSync(fileOf(target), [...new Set(lines)].sort().join(''))
}

/** Writes the inputs into a folder, each into a file of its own, as the fuzzer reads them. */
export function unpackCorpus(target, folder) {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const input of readCorpus(target)) writeFileSync(join(folder, createHash('sha1').update(input).digest('hex')), input)
}

/** Returns the contents of all files in a folder. */
export function readInputs(folder) {
  return readdirSync(folder).map((name) => readFileSync(join(folder, name)))
}
