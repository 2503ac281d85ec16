import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { offInClaudeCode, type SwitchedOff } from './claude-code-settings.ts'

/** Writes settings, and returns what is off in a file. */
function readAllOff(files: { readonly [path: string]: unknown }, file = 'project/.mcp.json', env = {}): SwitchedOff {
  const root = mkdtempSync(join(tmpdir(), 'portcall-claude-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  for (const [path, value] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    const text = typeof value === 'string' ? value : JSON.stringify(value).replaceAll('ROOT', root)
    writeFileSync(join(root, path), text)
  }
  return offInClaudeCode(join(root, file), { platform: 'linux', home: join(root, 'home'), env })
}

const readOff = (...options: Parameters<typeof readAllOff>): readonly string[] => readAllOff(...options).disabledServers
const toolsOff = (...options: Parameters<typeof readAllOff>): readonly string[] => readAllOff(...options).disabledTools

const OFF = { disabledMcpjsonServers: ['a', 7] }
const DENIED = { deniedMcpServers: [{ serverName: 'a' }, { serverCommand: ['npx'] }, 'x'] }

test.each(['home/.claude/settings.json', 'project/.claude/settings.json', 'project/.claude/settings.local.json'])(
  '%s switches servers of the project off',
  (path) => {
    expect(readOff({ [path]: OFF })).toEqual(['a'])
    expect(readOff({ [path]: DENIED })).toEqual(['a'])
    expect(readOff({ [path]: { ...OFF, enabledMcpjsonServers: ['a'], enableAllProjectMcpServers: true } })).toEqual(['a'])
  },
)

test('what the user decided about the project counts, and not about another one', () => {
  const state = (project: string) => ({ 'home/.claude.json': { projects: { [project]: OFF } } })
  expect(readOff(state('ROOT/project'))).toEqual(['a'])
  expect(readOff(state('ROOT/other'))).toEqual([])
})

test.each([
  ['approved servers', { enabledMcpjsonServers: ['a'] }],
  ['all servers', { enableAllProjectMcpServers: true }],
  ['nothing', {}],
  ['a list of another form', { disabledMcpjsonServers: 'a', deniedMcpServers: { serverName: 'a' } }],
  ['a file with an error', '{'],
  ['another value', 'null'],
])('%s switches nothing off', (_what, settings) => {
  expect(readOff({ 'project/.claude/settings.json': settings })).toEqual([])
})

test('other files are not concerned, and servers of the user only by what is denied', () => {
  expect(readOff({ 'project/.claude/settings.json': OFF }, 'project/mcp.json')).toEqual([])
  expect(readOff({ 'home/.claude/settings.json': OFF }, 'home/.claude.json')).toEqual([])
  expect(readOff({ 'home/.claude/settings.json': DENIED }, 'home/.claude.json')).toEqual(['a'])
})

const RULES = ['mcp__a__b', 'mcp__c', 'mcp__d__*', 'mcp__e_x__f__g', 'mcp__h__i(x)', 'Bash(rm:*)', 'mcp__', 7]

test('tools that permissions deny are off, for every file of Claude Code', () => {
  const off = ['a__b', 'c__*', 'd__*', 'e_x__f__g', 'h__i']
  const settings = { permissions: { deny: RULES, allow: ['mcp__a__z'] } }
  for (const path of ['home/.claude/settings.json', 'project/.claude/settings.json', 'project/.claude/settings.local.json'])
    expect(toolsOff({ [path]: settings })).toEqual(off)
  expect(toolsOff({ 'home/.claude/settings.json': settings }, 'home/.claude.json')).toEqual(off)
  expect(toolsOff({ 'project/.claude/settings.json': settings }, 'project/mcp.json')).toEqual([])
})

test.each([{ permissions: { deny: 'mcp__a' } }, { permissions: [] }, {}])('%j denies no tool', (settings) => {
  expect(toolsOff({ 'project/.claude/settings.json': settings })).toEqual([])
})
