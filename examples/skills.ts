import { fileURLToPath } from 'node:url'
import { createServer } from 'portcall'
import { skills } from 'portcall/skills'

export const server = createServer({ name: 'office', version: '1.0.0' }, { extensions: [skills()] })

await server.skills(fileURLToPath(new URL('skills', import.meta.url)))
