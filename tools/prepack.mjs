/** Writes the files that are published with the package: the README with links that work on npm, and the license. */
import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ensure } from './ensure.mjs'
import { forNpm } from './lib/npm-readme.mjs'
import { PACKAGE, ROOT, readText } from './lib/paths.mjs'

await ensure()
writeFileSync(join(PACKAGE, 'README.md'), forNpm(readText(join(ROOT, 'README.md'))))
copyFileSync(join(ROOT, 'LICENSE'), join(PACKAGE, 'LICENSE'))
