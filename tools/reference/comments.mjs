import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import process from 'node:process'
import { Comment, Converter, ReflectionKind } from 'typedoc'

const SPECIFICATION = 'https://modelcontextprotocol.io/specification/'

/** The files that declare the shapes of the protocol. */
const SHAPES = /protocol[\\/](types|input-types|errors)\.ts$/

const textOf = (comment) => comment?.summary.map(({ text }) => text).join('') ?? ''

const fileOf = (reflection, project) => project.getSymbolIdFromReflection(reflection)?.fileName ?? ''

/** Returns the file and the line that declare a reflection. */
function placeOf(reflection, project) {
  const { fileName, pos } = project.getSymbolIdFromReflection(reflection) ?? {}
  const before = readFileSync(fileName, 'utf8').slice(0, pos)
  return `${relative(process.cwd(), fileName)}:${before.split('\n').length}`
}

/** Returns a doc comment of a reflection or of one of its signatures. */
function commentOf(reflection) {
  const { signatures = [], getSignature, type } = reflection
  const places = [reflection, ...signatures, getSignature, ...(type?.declaration?.signatures ?? [])]
  return places.find((place) => textOf(place?.comment))?.comment
}

/** Returns what is wrong with the doc comment of an export, or undefined. */
function faultOf(reflection, project) {
  const comment = commentOf(reflection)
  if (!comment) return 'has no doc comment'
  const isLinked = !SHAPES.test(fileOf(reflection, project)) || textOf(comment).includes(SPECIFICATION)
  return isLinked ? undefined : 'does not link to its section of the specification'
}

/** Returns the members of a class, an interface or an object type. The doc comment of a union describes its members. */
function membersOf({ children = [], type }) {
  return type?.type === 'reflection' ? (type.declaration.children ?? []) : children
}

/** Returns what is wrong with the doc comment of a member, or undefined. */
function memberFaultOf(member) {
  const comment = commentOf(member)
  if (!comment) return member.kindOf(ReflectionKind.Constructor) ? undefined : 'has no doc comment'
  return /^Default:/.test(textOf(comment)) ? 'has a doc comment that does not say what it is' : undefined
}

/** Removes the constructors that error classes inherit, and documents what `name` is. */
function tidyErrors(project) {
  for (const reflection of project.getReflectionsByKind(ReflectionKind.Class)) {
    const inherited = reflection.children?.find((one) => one.kindOf(ReflectionKind.Constructor) && one.inheritedFrom)
    if (inherited) project.removeReflection(inherited)
    const name = reflection.children?.find((one) => one.name === 'name' && one.type?.type === 'literal')
    if (name && !name.comment) name.comment = new Comment([{ kind: 'text', text: 'The name of the class.' }])
  }
}

/** Returns the faults of the members of exports, each once, as text. */
function memberFaults(project, exports) {
  const members = exports.flatMap(membersOf).filter((member) => !member.flags.isExternal)
  const faults = members.map((member) => ({ member, fault: memberFaultOf(member) })).filter(({ fault }) => fault)
  return new Set(faults.map(({ member, fault }) => `${placeOf(member, project)}: ${member.getFullName()} ${fault}`))
}

/**
 * A TypeDoc plugin: each export and each of its members has a doc comment, and each shape of the protocol links to its section of the
 * specification. TypeDoc itself checks the members of nested objects (`notDocumented` in typedoc.json).
 */
export function load(app) {
  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => {
    tidyErrors(project)
    const exports = (project.children ?? []).flatMap(({ children = [] }) => children.filter((one) => !one.isReference()))
    for (const reflection of exports) {
      const fault = faultOf(reflection, project)
      if (fault) app.logger.error(`${reflection.getFullName()} ${fault}`)
    }
    for (const fault of memberFaults(project, exports)) app.logger.error(fault)
  })
}
