/**
 * Builds what is published with the package and not needed here: the page of the inspector, the README with links that work on npm, the license,
 * and a bill of materials. Several commands may pack at the same time.
 */
import { join } from 'node:path'
import { ensureInspector } from './inspector.mjs'
import { replaceText } from './lib/files.mjs'
import { forNpm } from './lib/npm-readme.mjs'
import { DIST, PACKAGE, ROOT, readJson, readText } from './lib/paths.mjs'
import { namesIn, readNotices, sbomOf } from './lib/third-party.mjs'

await ensureInspector()
replaceText(join(PACKAGE, 'README.md'), forNpm(readText(join(ROOT, 'README.md'))))
replaceText(join(PACKAGE, 'LICENSE'), readText(join(ROOT, 'LICENSE')))
const { name, version } = readJson(join(PACKAGE, 'package.json'))
replaceText(join(PACKAGE, 'sbom.cdx.json'), sbomOf(`${name}@${version}`, [...new Set(namesIn(readNotices(DIST)))]))
