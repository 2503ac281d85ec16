import { relative } from 'node:path'
import { Converter } from 'typedoc'

const SPECIFICATION = 'https://modelcontextprotocol.io/specification/'

/** The files that declare the shapes of the protocol. */
const SHAPES = /protocol[\\/](types|errors)\.ts$/

const textOf = (comment) => comment?.summary.map(({ text }) => text).join('') ?? ''

/** A TypeDoc plugin: each shape of the protocol links to its section of the specification. */
export function load(app) {
  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => {
    for (const entryPoint of project.children ?? []) {
      for (const reflection of entryPoint.children ?? []) {
        const { fullFileName = '' } = reflection.sources?.[0] ?? reflection.signatures?.[0]?.sources?.[0] ?? {}
        const comment = reflection.comment ?? reflection.signatures?.[0]?.comment
        if (SHAPES.test(fullFileName) && !textOf(comment).includes(SPECIFICATION))
          app.logger.error(`${reflection.name} in ${relative('', fullFileName)} does not link to the specification`)
      }
    }
  })
}
