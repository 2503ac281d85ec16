import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { notAServer } from './not-a-server.ts'

const folder = temporaryFolder(afterAll)
const create = (name: string, mode = 0o644): string => {
  const path = join(folder, name)
  writeFileSync(path, '')
  chmodSync(path, mode)
  return path
}

test('a program needs --, and says how it is started', () => {
  const program = create('gosrv', 0o755)
  expect(notAServer(program).hint).toBe(`to start it as a program, write -- ${program}`)
  const script = create('server.py')
  expect(notAServer(script).hint).toBe(`to start it as a program, write -- python3 ${script}`)
  const plain = create('plain')
  expect(notAServer(plain).hint).toBe(`it is not executable: run chmod +x ${plain}, then write -- ${plain}`)
  mkdirSync(join(folder, 'go'))
  expect(notAServer(join(folder, 'go')).hint).toContain('it is a directory')
})

test.each([
  ['./gosrv', 'no such file: ./gosrv'],
  ['../bin/server', 'no such file: ../bin/server'],
  ['./missing.js', 'no such file: ./missing.js'],
])('%s does not exist', (text, message) => {
  expect(notAServer(text)).toMatchObject({ message, hint: undefined })
})

test.each([
  ['example.com/mcp', 'a URL starts with'],
  ['localhost:3000', 'a URL starts with'],
  ['node server.mjs x', 'write -- node server.mjs x'],
  ['nothing', 'pass a URL'],
])('%s is something else', (text, hint) => {
  expect(notAServer(text).hint).toContain(hint)
})
