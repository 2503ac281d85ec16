import { Converter } from 'typedoc'

const SPECIFICATION = 'https://modelcontextprotocol.io/specification/'

/** The files that declare the shapes of the protocol. */
const SHAPES = /protocol[\\/](types|input-types|errors)\.ts$/

const textOf = (comment) => comment?.summary.map(({ text }) => text).join('') ?? ''

/** Returns what is wrong with the doc comment of an export, or undefined. */
function faultOf(reflection, project) {
  const documented = [reflection, ...(reflection.signatures ?? [])].find(({ comment }) => textOf(comment))
  if (!documented) return 'has no doc comment'
  const path = project.getSymbolIdFromReflection(reflection)?.fileName ?? ''
  const isLinked = !SHAPES.test(path) || textOf(documented.comment).includes(SPECIFICATION)
  return isLinked ? undefined : 'does not link to its section of the specification'
}

/** A TypeDoc plugin: each export has a doc comment, and each shape of the protocol links to its section of the specification. */
export function load(app) {
  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => {
    for (const entryPoint of project.children ?? []) {
      for (const reflection of (entryPoint.children ?? []).filter((one) => !one.isReference())) {
        const fault = faultOf(reflection, project)
        if (fault) app.logger.error(`${entryPoint.name}: ${reflection.name} ${fault}`)
      }
    }
  })
}
