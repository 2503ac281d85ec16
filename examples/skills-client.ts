import { type ConnectTarget, connect } from 'portcall/client'
import { skills } from 'portcall/skills/client'

/** Loads the skill for invoices if the user allows it. Returns its instructions and its template. */
export async function useSkill(target: ConnectTarget, allow: (question: string) => Promise<boolean>): Promise<string[]> {
  const client = await connect(target, { extensions: [skills({ label: 'office' })] })
  try {
    const found = await client.skills.list().toArray()
    const entry = found.find(({ frontmatter }) => frontmatter.name === 'invoices')
    if (!entry || !(await allow(`Load ${entry.uri} of ${client.skills.label}?`))) return []

    const skill = await client.skills.load(entry)
    const template = await skill.read('templates/invoice.json')
    return [skill.prompt, template.text ?? '']
  } finally {
    await client.close()
  }
}
