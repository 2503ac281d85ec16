import { isObject } from '../jsonrpc/message.ts'
import { type Frontmatter, SkillError } from './entry.ts'

/** A parsed `SKILL.md`. */
export interface Manifest {
  readonly frontmatter: Frontmatter
  /** The instructions below the frontmatter. */
  readonly body: string
}

const FENCED = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/
const NAME = /^(?!.*--)[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/
const MAX_DESCRIPTION = 1024
const RESERVED_PREFIX = 'io.modelcontextprotocol/'

/** Parses a manifest. @throws SkillError when the frontmatter is missing or invalid. The message starts with a verb. */
export async function parseManifest(text: string): Promise<Manifest> {
  const [head, yaml] = FENCED.exec(text) ?? []
  if (head === undefined || yaml === undefined)
    throw new SkillError('has no frontmatter: start the file with a line ---, the name and description, and another line ---')
  const { parseFrontmatterText } = await import('./yaml.ts')
  const frontmatter = parseFrontmatter(yaml, parseFrontmatterText)
  for (const field of ['name', 'description'])
    if (typeof frontmatter[field] !== 'string' || frontmatter[field] === '')
      throw new SkillError(`has no ${field}: add ${field}: … to its frontmatter`)
  return { frontmatter, body: text.slice(head.length) }
}

function parseFrontmatter(yaml: string, parse: (text: string) => unknown): Frontmatter {
  let value: unknown
  try {
    value = parse(yaml)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new SkillError(`has frontmatter that is not valid YAML: ${reason}`, { cause: error })
  }
  if (!isObject(value)) throw new SkillError('has frontmatter that is not a YAML mapping')
  return value as Frontmatter
}

/** Checks the frontmatter of a skill in a folder. @throws SkillError that says what to change. The message starts with a verb. */
export function checkFrontmatter({ name, description, metadata }: Frontmatter, folderName: string): void {
  if (!NAME.test(name))
    throw new SkillError(
      `has the invalid name ${JSON.stringify(name)}: use 1 to 64 of a-z, 0-9 and single hyphens, no hyphen at either end`,
    )
  if (name !== folderName)
    throw new SkillError(`has the name ${name}, but its folder is ${folderName}: rename the folder or change the name`)
  if (description.length > MAX_DESCRIPTION)
    throw new SkillError(`has a description of ${description.length} characters: use at most ${MAX_DESCRIPTION}`)
  const reserved = isObject(metadata) && Object.keys(metadata).find((key) => key.startsWith(RESERVED_PREFIX))
  if (reserved) throw new SkillError(`has the metadata key ${reserved}: the prefix ${RESERVED_PREFIX} is reserved`)
}
