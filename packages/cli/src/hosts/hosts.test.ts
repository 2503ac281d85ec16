import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { HOSTS, type HostSystem } from './hosts.ts'
import { adaptToSystem } from './installable-server.ts'

const HOME = '/home/ada'
const SYSTEMS: { readonly [name: string]: HostSystem } = {
  linux: { platform: 'linux', env: {}, home: HOME },
  macOS: { platform: 'darwin', env: {}, home: HOME },
  Windows: { platform: 'win32', env: { APPDATA: '/appdata' }, home: HOME },
  'Windows without APPDATA': { platform: 'win32', env: { APPDATA: '' }, home: HOME },
}

test.each([
  ['claude-desktop', 'linux', '/home/ada/.config/Claude/claude_desktop_config.json'],
  ['claude-desktop', 'macOS', '/home/ada/Library/Application Support/Claude/claude_desktop_config.json'],
  ['claude-desktop', 'Windows', '/appdata/Claude/claude_desktop_config.json'],
  ['claude-desktop', 'Windows without APPDATA', '/home/ada/AppData/Roaming/Claude/claude_desktop_config.json'],
  ['vscode', 'linux', '/home/ada/.config/Code/User/mcp.json'],
  ['vscode', 'macOS', '/home/ada/Library/Application Support/Code/User/mcp.json'],
  ['vscode', 'Windows', '/appdata/Code/User/mcp.json'],
  ['zed', 'linux', '/home/ada/.config/zed/settings.json'],
  ['zed', 'macOS', '/home/ada/.config/zed/settings.json'],
  ['zed', 'Windows', '/appdata/Zed/settings.json'],
  ['claude-code', 'Windows', '/home/ada/.claude.json'],
  ['cursor', 'Windows', '/home/ada/.cursor/mcp.json'],
  ['codex', 'Windows', '/home/ada/.codex/config.toml'],
])('%s on %s reads %s', (host, system, expected) => {
  expect(HOSTS[host]?.file(SYSTEMS[system] as HostSystem)).toBe(join(expected))
})

function createProgramFolder(): string {
  const folder = temporaryFolder()
  for (const name of ['npx.cmd', 'node.exe']) writeFileSync(join(folder, name), '')
  return folder
}

test('on Windows, a script is installed with cmd, and a program as it is', () => {
  const env = { PATH: createProgramFolder() }
  const npx = { command: 'npx', args: ['-y', 'notes-server'], env: { KEY: '1' }, cwd: undefined }
  const node = { command: 'node', args: ['server.js'], env: {}, cwd: undefined }
  expect(adaptToSystem(npx, { platform: 'win32', env })).toEqual({
    ...npx,
    command: 'cmd',
    args: ['/c', 'npx', '-y', 'notes-server'],
  })
  expect(adaptToSystem(node, { platform: 'win32', env })).toEqual(node)
  expect(adaptToSystem(npx, { platform: 'linux', env })).toEqual(npx)
})

test('a URL is installed as it is', () => {
  const server = { url: 'https://example.com/mcp', headers: {} }
  expect(adaptToSystem(server, { platform: 'win32', env: {} })).toBe(server)
})
