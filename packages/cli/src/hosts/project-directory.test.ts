import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { currentSystem, HOSTS } from './hosts.ts'
import { projectDirectory } from './project-directory.ts'

describe('the directory where relative paths of a configuration start', () => {
  const projects = Object.values(HOSTS).flatMap(({ project }) => (project === undefined ? [] : [project]))

  test.each([...projects, '.kiro/settings/mcp.json', '.junie/mcp/mcp.json', '.roo/mcp.json', '.continue/mcpServers/a.yaml'])(
    'is the project of %s',
    (file) => {
      expect(projectDirectory(`/work/p/${file}`)).toBe('/work/p')
    },
  )

  test.each(Object.entries(HOSTS))('is the working directory for the file that %s keeps for its user', (_name, host) => {
    expect(projectDirectory(host.file(currentSystem()))).toBe(process.cwd())
  })

  test('is the directory of any other file', () => {
    expect(projectDirectory('/work/p/gateway.jsonc')).toBe('/work/p')
    expect(projectDirectory('/work/.hidden/gateway.jsonc')).toBe('/work/.hidden')
    expect(projectDirectory(join('sub', 'mcp.json'))).toBe(resolve('sub'))
  })
})
