import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { anchorsOf } from './markdown.mjs'
import { ROOT, readText } from './paths.mjs'

const REPOSITORY = 'https://github.com/portcall/portcall'
const RAW = 'https://raw.githubusercontent.com/portcall/portcall/HEAD/'
const PAGE = new RegExp(`^${REPOSITORY}/(?:blob|tree)/HEAD/`)

const CODE = /(^```[\s\S]*?^```$|`[^`\n]*`)/m
/** Matches the beginning and the target of a link or a picture, in Markdown or HTML. */
const TARGET = /(!\[[^\]]*\]\(|\]\(|\bsrc="|\bhref=")([^)\s"]+)/g
const isRelative = (target) => !/^([a-z][a-z0-9+.-]*:|#|\/\/)/i.test(target)
const isPicture = (before) => before.startsWith('!') || before.startsWith('src')

const mapProse = (text, map) =>
  text
    .split(CODE)
    .map((part, index) => (index % 2 ? part : map(part)))
    .join('')

function absolute(target, picture) {
  if (picture) return RAW + target
  const path = join(ROOT, decodeURIComponent(target.split('#', 1)[0]))
  const kind = existsSync(path) && statSync(path).isDirectory() ? 'tree' : 'blob'
  return `${REPOSITORY}/${kind}/HEAD/${target}`
}

/** Returns a Markdown text of the root folder as npm shows it: links and pictures lead to GitHub. */
export function forNpm(text) {
  const link = (whole, before, target) => (isRelative(target) ? before + absolute(target, isPicture(before)) : whole)
  return mapProse(text, (part) => part.replace(TARGET, link))
}

/** Returns the links and pictures of a text for npm that do not resolve. */
export function unresolvedOnNpm(text) {
  const targets = []
  mapProse(text, (part) => targets.push(...[...part.matchAll(TARGET)].map(([, , target]) => target)))
  return targets.flatMap((target) => {
    if (isRelative(target)) return [`${target} is relative`]
    const inRepository = target.startsWith(RAW) ? target.slice(RAW.length) : target.replace(PAGE, '')
    if (inRepository === target) return []
    const [path, anchor] = decodeURIComponent(inRepository).split('#')
    if (!existsSync(join(ROOT, path))) return [`${target} does not exist`]
    return anchor && !anchorsOf(readText(join(ROOT, path))).has(anchor) ? [`${target} has no such heading`] : []
  })
}
