/** The parts of the package that come from other packages: their licenses, and a software bill of materials. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { PAGE } from './page.mjs'
import { ROOT, readJson, readText } from './paths.mjs'
import { runNpm } from './run.mjs'

/** The last `node_modules/NAME/` in the path of a module. */
const IN_PACKAGE = /^(.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+))[\\/]/

/** The helpers that the bundler adds. */
const BUNDLER_MODULE = /^\0rolldown[\\/]/
const BUNDLER = join(ROOT, 'node_modules', 'rolldown')

/** Returns the packages that modules come from: their folders and what their package.json says. */
export function packagesOf(moduleIds) {
  const homes = moduleIds.flatMap((id) => (BUNDLER_MODULE.test(id) ? [BUNDLER] : (IN_PACKAGE.exec(id)?.slice(1, 2) ?? [])))
  const packages = [...new Set(homes)].map((home) => {
    const { name, version, license } = readJson(join(home, 'package.json'))
    return { home, name, version, license }
  })
  return packages.sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Returns packages that are installed in a folder, by their names. */
export function packagesIn(folder, names) {
  return packagesOf(names.map((name) => join(folder, 'node_modules', name, 'package.json')))
}

const LICENSE_FILE = /^(?:licen[cs]e|copying|notice)(?:[.-]|$)/i
const RULE = '='.repeat(80)
const INTRODUCTION = 'Portcall contains code of these packages.'

/**
 * Returns the text of THIRD-PARTY.txt: each license text once, below the packages that have it.
 *
 * @throws Error if a package has no license text, because it could not be published.
 */
export function noticesOf(packages) {
  const headings = new Map()
  for (const { home, name, version, license } of packages) {
    const files = readdirSync(home).filter((file) => LICENSE_FILE.test(file))
    if (files.length === 0) throw new Error(`${name} has no license file: ${home}`)
    const text = files.map((file) => readText(join(home, file)).trim()).join('\n\n')
    headings.set(text, [...(headings.get(text) ?? []), `${RULE}\n${name} ${version} (${license})\n${RULE}\n`])
  }
  const sections = [...headings].map(([text, own]) => `${own.join('')}\n${text}\n`)
  return [`${INTRODUCTION}\n`, ...sections].join('\n')
}

const HEADING = new RegExp(`^${RULE}\\n(\\S+) (\\S+) \\((.+)\\)\\n${RULE}$`, 'gm')

/** Returns the packages that THIRD-PARTY.txt names, as `NAME@VERSION`. */
export function namesIn(notices) {
  return [...notices.matchAll(HEADING)].map(([, name, version]) => `${name}@${version}`)
}

/** Returns the bill of materials of all packages in a lock file. */
function sbomIn(folder) {
  const args = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only', '--loglevel=error']
  const { ok, stdout, output } = runNpm(args, { cwd: folder, quiet: true })
  if (!ok) throw new Error(`npm sbom failed:\n${output}`)
  return JSON.parse(stdout)
}

/**
 * Returns a bill of materials in CycloneDX format: the published package, and the packages that are bundled in it, with the hashes of their tarballs.
 * The same versions give the same text.
 */
export function sbomOf(published, bundled) {
  const { $schema, bomFormat, specVersion, components: own } = sbomIn(ROOT)
  const components = [...own, ...sbomIn(PAGE.home).components]
  const find = (ref) => components.find((component) => component['bom-ref'] === ref)
  const missing = [published, ...bundled].filter((ref) => !find(ref))
  if (missing.length > 0) throw new Error(`not in package-lock.json: ${missing.join(', ')}`)
  const { properties: _, ...component } = find(published)
  const required = bundled.map((ref) => ({ ...find(ref), scope: 'required', properties: [] }))
  const dependencies = [{ ref: published, dependsOn: bundled }, ...bundled.map((ref) => ({ ref, dependsOn: [] }))]
  const metadata = { lifecycles: [{ phase: 'build' }], component }
  return `${JSON.stringify({ $schema, bomFormat, specVersion, version: 1, metadata, components: required, dependencies })}\n`
}

/** Returns what is wrong with a bill of materials for a package that bundles these others. */
export function faultsOfSbom(text, bundled) {
  const { bomFormat, components } = JSON.parse(text)
  const refs = components.map((component) => component['bom-ref'])
  return [
    ...(bomFormat === 'CycloneDX' ? [] : ['it is not in CycloneDX format']),
    ...bundled.filter((ref) => !refs.includes(ref)).map((ref) => `${ref} is missing`),
    ...refs.filter((ref) => !bundled.includes(ref)).map((ref) => `${ref} is not in THIRD-PARTY.txt`),
    ...components.filter(({ hashes = [] }) => hashes.length === 0).map(({ name }) => `${name} has no hash`),
    ...components.filter(({ licenses = [] }) => licenses.length === 0).map(({ name }) => `${name} has no license`),
  ]
}

/** Reads THIRD-PARTY.txt of a build, and that of the page of the inspector. */
export function readNotices(dist) {
  const paths = [dist, join(dist, 'inspector', 'page')].map((folder) => join(folder, 'THIRD-PARTY.txt'))
  const missing = paths.find((path) => !existsSync(path))
  if (missing) throw new Error(`${missing} is missing`)
  return paths.map(readText).join('\n')
}
