/** The complete programs of all pages, as files of a project that has the packed library. */
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { filesBelow } from '../../../tools/lib/files.mjs'
import { type Block, blocksOf } from './page.ts'

/** A complete program of a page. */
export interface Program {
  /** The page, from the root of the repository. */
  readonly page: string
  /** The path in the project. */
  readonly path: string
  readonly code: string
  /** The line of the page where the program starts. */
  readonly line: number
}

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const LANGUAGES = new Set(['ts', 'typescript', 'js', 'javascript'])

/** Returns every complete program of the documentation, except the API reference. */
export function programs(): Program[] {
  const docs: string[] = filesBelow(`${ROOT}docs`, '.md').map((path: string) => path.slice(ROOT.length))
  return ['README.md', ...docs.filter((path) => !path.startsWith('docs/reference/api/'))].flatMap(programsOf)
}

function programsOf(page: string): Program[] {
  const blocks = blocksOf(page)
  const folder = page
    .replace(/^docs\//, '')
    .replace(/\.md$/, '')
    .replaceAll('/', '-')
  const taken = new Set<string>()
  return blocks
    .filter((block) => isComplete(block) && !belongsToCreatedProject(block, blocks))
    .map((block) => {
      const path = `${folder}/${fileOf(block, taken)}`
      return { page, path, code: block.code, line: block.line }
    })
}

/** A complete program shows what it imports. Other blocks are parts of a program. */
function isComplete({ language, code, name }: Block): boolean {
  return LANGUAGES.has(language) && (name !== undefined || /^import .* from '/m.test(code))
}

/** Some pages add files to a project that `portcall new` creates. pages.test.ts and docker.test.ts follow them. */
function belongsToCreatedProject({ code }: Block, blocks: readonly Block[]): boolean {
  const createsProject = blocks.some((block) => block.language === 'sh' && block.code.includes('portcall new'))
  return createsProject && /^import .* from '\.\.?\//m.test(code)
}

function fileOf({ language, line, from, name }: Block, taken: Set<string>): string {
  const extension = language.startsWith('t') ? '.ts' : '.js'
  const example = from?.includes('#') ? undefined : from && basename(from, '.ts') + extension
  const wanted = name ?? example ?? `line-${line}${extension}`
  const file = taken.has(wanted) ? `line-${line}${extension}` : wanted
  taken.add(file)
  return file
}
