import { isObject } from '../jsonrpc.ts'
import { type Frontmatter, SkillError } from './entry.ts'

/** A manifest, taken apart. */
export interface Manifest {
  readonly frontmatter: Frontmatter
  /** The instructions below the frontmatter. */
  readonly body: string
}

const FENCED = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/
const NAME = /^(?!.*--)[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/
const MAX_DESCRIPTION = 1024
const RESERVED = 'io.modelcontextprotocol/'

/** Takes a manifest apart. @throws SkillError when it has no frontmatter, or none that is YAML. */
export async function readManifest(text: string): Promise<Manifest> {
  const [whole, yaml] = FENCED.exec(text) ?? []
  if (whole === undefined || yaml === undefined)
    throw new SkillError('has no frontmatter: begin the file with a line ---, its name and description, and another line ---')
  const { parseYaml } = await import('./yaml.ts')
  const frontmatter = parsed(yaml, parseYaml)
  for (const field of ['name', 'description'])
    if (typeof frontmatter[field] !== 'string' || frontmatter[field] === '')
      throw new SkillError(`has no ${field}: write ${field}: … into its frontmatter`)
  return { frontmatter, body: text.slice(whole.length) }
}

function parsed(yaml: string, parse: (text: string) => unknown): Frontmatter {
  let value: unknown
  try {
    value = parse(yaml)
  } catch (error) {
    throw new SkillError(`has frontmatter that is not YAML: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    })
  }
  if (!isObject(value)) throw new SkillError('has frontmatter that is not a list of fields')
  return value as Frontmatter
}

/** Checks what the format asks of a skill in a folder. @throws SkillError that says what to change. */
export function checkFrontmatter({ name, description, metadata }: Frontmatter, folder: string): void {
  if (!NAME.test(name))
    throw new SkillError(`has the name ${JSON.stringify(name)}: use 1 to 64 of a-z, 0-9 and single hyphens, none at either end`)
  if (name !== folder) throw new SkillError(`is called ${name} but lies in ${folder}: rename the folder, or change its name`)
  if (description.length > MAX_DESCRIPTION)
    throw new SkillError(`has a description of ${description.length} characters: use at most ${MAX_DESCRIPTION}`)
  const reserved = isObject(metadata) && Object.keys(metadata).find((key) => key.startsWith(RESERVED))
  if (reserved) throw new SkillError(`has the metadata ${reserved}: the prefix ${RESERVED} is reserved`)
}
