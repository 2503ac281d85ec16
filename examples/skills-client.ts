/** A host that loads a skill: only the one the user chose, and only the files that its entry lists. */
import { type ConnectTarget, connect } from 'portcall/client'
import { skills } from 'portcall/skills/client'

// #region client
export async function useSkill(target: ConnectTarget, allow: (question: string) => Promise<boolean>): Promise<string[]> {
  await using client = await connect(target, { extensions: [skills({ label: 'office' })] })
  const found = await client.skills.list().toArray()
  const entry = found.find(({ frontmatter }) => frontmatter.name === 'invoices')
  if (!entry || !(await allow(`Load ${entry.uri} of ${client.skills.label}?`))) return []

  const skill = await client.skills.load(entry)
  const template = await skill.read('templates/invoice.json')
  return [skill.prompt, template.text ?? '']
}
// #endregion
