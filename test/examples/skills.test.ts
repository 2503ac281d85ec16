import { expect, test } from 'vitest'
import { server } from '../../examples/skills.ts'
import { useSkill } from '../../examples/skills-client.ts'

test('SKL-004 SKL-026 SKL-027 a skill is listed, loaded and read when the user agrees', async () => {
  const [prompt, template] = await useSkill(server, async () => true)
  expect(prompt).toMatch(/^<mcp-skill server="office"[\s\S]*Amounts are in cents/)
  expect(JSON.parse(String(template))).toEqual({ number: '', cents: 0 })
  expect(await useSkill(server, async () => false)).toEqual([])
  server.close()
})
