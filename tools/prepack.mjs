/** Copies the files that are published with the package from the root of the repository. */
import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { ensure } from './ensure.mjs'
import { PACKAGE, ROOT } from './lib/paths.mjs'

await ensure()
for (const name of ['README.md', 'LICENSE']) {
  if (existsSync(join(ROOT, name))) copyFileSync(join(ROOT, name), join(PACKAGE, name))
}
