/** Skills for servers: instructions for models, with their files. */
export { type Frontmatter, SKILL_LIMITS, type SkillEntry, SkillError, type SkillFile, type SkillLimits } from './skills/entry.ts'
export type { SkillFolder, SkillFolderOptions } from './skills/served.ts'
export { type ServeSkills, type SkillsOptions, skills } from './skills/server.ts'
