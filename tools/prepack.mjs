/** Puts beside the package what is published with it and lives at the root. */
import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { ensure } from './ensure.mjs'
import { PACKAGE, ROOT } from './lib/paths.mjs'

await ensure()
for (const name of ['README.md', 'LICENSE']) {
  if (existsSync(join(ROOT, name))) copyFileSync(join(ROOT, name), join(PACKAGE, name))
}
