import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'

const require = createRequire(import.meta.url)

/** The content of files by path. */
export type ProjectFiles = { readonly [path: string]: string | Uint8Array }

/** Creates a project with files, in which bundlers of this repository are installed. Returns its folder. */
export async function viewProject(files: ProjectFiles, bundlers: readonly string[]): Promise<string> {
  const folder = temporaryFolder()
  await mkdir(join(folder, 'node_modules'))
  for (const name of bundlers) await symlink(dirname(require.resolve(`${name}/package.json`)), join(folder, 'node_modules', name))
  for (const [path, content] of Object.entries({ 'package.json': '{"type":"module"}', ...files })) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), content)
  }
  return folder
}
