/** The client's skills extension: lists, loads and verifies skills. @module */
export type { Approvals } from '../skills/approvals.ts'
export { type ClientSkills, type ClientSkillsOptions, type DirectoryItem, skills } from '../skills/client.ts'
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
export type { Skill, SkillContent, SkillIdentity } from '../skills/load.ts'
