import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { bundleDeclarations } from './bundle.mjs'

/** Bundles the declarations in `files`, which are named by their paths without extension, for the entry points. */
function bundle(files, entries = ['index', 'client']) {
  const folder = mkdtempSync(join(tmpdir(), 'portcall-declarations-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, `${name}.d.ts`), text)
  return Object.fromEntries(bundleDeclarations(entries.map((entry) => ({ entry, path: join(folder, `${entry}.d.ts`) }))))
}

test('a declaration that two entry points need is in one file, with its comment, and what nobody needs is in none', () => {
  const files = bundle({
    index: "/** Servers. @module */\nexport { Failure } from './shared.ts';\nexport { serve } from './server.ts';\n",
    client: "export type { Failure } from './shared.ts';\nexport { call } from './server.ts';\n",
    shared:
      '/** A failure. */\nexport declare class Failure extends Error {\n    /** The code. */\n    code: Code;\n}\ntype Code = 1 | 2;\nexport type Unused = 3;\n',
    server:
      "import type { Failure } from './shared.ts';\n/** Serves. */\nexport declare function serve(): Failure;\n/** Calls. */\nexport declare function call(): void;\n",
  })
  expect(files).toEqual({
    index:
      "/** Servers. @module */\nimport type { Failure } from './types/core.js';\n/** Serves. */\nexport declare function serve(): Failure;\nexport { Failure } from './types/core.js';\nexport {};\n",
    client: "/** Calls. */\nexport declare function call(): void;\nexport type { Failure } from './types/core.js';\nexport {};\n",
    'types/core':
      '/** A failure. */\nexport declare class Failure extends Error {\n  /** The code. */\n  code: Code;\n}\ntype Code = 1 | 2;\nexport {};\n',
  })
})

test('a class that an entry point exports as a type is no value of it', () => {
  const { index } = bundle({ index: "export type { Failure } from './a.ts';\n", a: 'export declare class Failure {\n}\n' }, [
    'index',
  ])
  expect(index).toBe('declare class Failure {\n}\nexport type { Failure };\nexport {};\n')
})

test('imports from packages and other names of exports are kept', () => {
  const { index } = bundle(
    {
      index: "export { open as connect } from './a.ts';\n",
      a: "import { type Socket as NodeSocket } from 'node:net';\nexport declare function open(): NodeSocket;\n",
    },
    ['index'],
  )
  expect(index).toBe(
    "import type { Socket as NodeSocket } from 'node:net';\ndeclare function open(): NodeSocket;\nexport { open as connect };\nexport {};\n",
  )
})

test('a global name keeps its meaning beside a declaration of the same name', () => {
  const { index } = bundle(
    {
      index: "export type { Request } from './a.ts';\nexport { handle } from './b.ts';\n",
      a: 'export interface Request {\n    id: number;\n}\n',
      b: 'export declare function handle(request: Request, options: {\n    Request: string;\n}): void;\n',
    },
    ['index'],
  )
  expect(index).toContain('handle(request: globalThis.Request, options: {\n  Request: string;\n})')
})

test('a parameter keeps its meaning beside a declaration of the same name', () => {
  const handle = 'export declare function handle<Request>(events: unknown): events is Request;'
  const files = {
    index: "export type { Request } from './a.ts';\nexport { events } from './a.ts';\nexport { handle } from './b.ts';\n",
    a: 'export type Request = 1;\nexport declare const events: number;\n',
    b: `${handle}\n`,
  }
  expect(bundle(files, ['index']).index).toContain(handle)
})

test('an interface is extended in the entry point that passes it on', () => {
  const files = bundle({
    index: "export type * from './extensions.ts';\nexport type { Tool } from './tool.ts';\n",
    extensions: 'export interface Extensions {\n}\n',
    tool: "import type { Extensions } from './extensions.ts';\nexport interface Tool extends Extensions {\n}\n",
    client: "export type { Tool } from './tool.ts';\nexport type { Task } from './task.ts';\n",
    task: "export type Task = 1;\ndeclare module './extensions.ts' {\n    interface Extensions {\n        task?: Task;\n    }\n}\n",
  })
  expect(files.index).toContain('export interface Extensions {')
  expect(files.client).toContain("declare module './index.js' {\n  interface Extensions {\n    task?: Task;")
  expect(files['types/core']).toContain("import type { Extensions } from '../index.js';")
})

test('two declarations of one name in a file are an error that names both', () => {
  const files = {
    index: "export { a } from './a.ts';\nexport { b } from './b.ts';\n",
    a: 'type Options = 1;\nexport declare const a: Options;\n',
    b: 'type Options = 2;\nexport declare const b: Options;\n',
  }
  expect(() => bundle(files, ['index'])).toThrow(/rename one of two types named Options.*a\.d\.ts#Options, .*b\.d\.ts#Options/)
})
