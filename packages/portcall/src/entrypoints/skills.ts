/** The server's skills extension: serves instructions for models, with their files. @module */
export {
  type Frontmatter,
  SKILL_LIMITS,
  type SkillEntry,
  SkillError,
  type SkillErrorOptions,
  type SkillErrorReason,
  type SkillFile,
  type SkillLimits,
} from '../skills/entry.ts'
export type { SkillFolder, SkillFolderOptions } from '../skills/serve-folder.ts'
export { type ServeSkills, type SkillsOptions, skills } from '../skills/server.ts'
