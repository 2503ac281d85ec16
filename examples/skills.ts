/** A server with skills: instructions for models, each a directory with a SKILL.md. */
import { createServer } from 'portcall'
import { skills } from 'portcall/skills'

// #region server
export async function createOffice(folder: string) {
  const server = createServer({ name: 'office', version: '1.0.0' }, { extensions: [skills({ directoryRead: true })] })
  await server.skills(folder)
  return server
}
// #endregion
