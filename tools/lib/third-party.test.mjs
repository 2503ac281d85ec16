import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { faultsOfSbom, namesIn, noticesOf, packagesOf, sbomOf } from './third-party.mjs'

/** Creates a package in a folder and returns the path of a module in it. */
function addPackage(folder, name, files = {}) {
  const home = join(folder, 'node_modules', name)
  mkdirSync(home, { recursive: true })
  writeFileSync(join(home, 'package.json'), JSON.stringify({ name, version: '1.2.3', license: 'MIT' }))
  for (const [file, text] of Object.entries(files)) writeFileSync(join(home, file), text)
  return join(home, 'lib', 'index.js')
}

const newFolder = () => mkdtempSync(join(tmpdir(), 'third-party-'))
const LICENSED = { LICENSE: 'The license' }

describe('the packages of modules', () => {
  test('are found by their paths, with scopes and in other packages', () => {
    const folder = newFolder()
    const b = addPackage(folder, 'b', LICENSED)
    const inner = addPackage(join(folder, 'node_modules', 'b'), '@scope/a', LICENSED)
    const packages = packagesOf([b, b, inner, '/work/src/index.ts', '\0rolldown/runtime.js'])
    expect(packages.map(({ name }) => name)).toEqual(['@scope/a', 'b', 'rolldown'])
  })

  test('are named in the notices, with the texts of their licenses', () => {
    const folder = newFolder()
    const notices = noticesOf(
      packagesOf([addPackage(folder, 'a', { 'LICENSE.md': 'Text', NOTICE: 'More' }), addPackage(folder, 'b', LICENSED)]),
    )
    expect(namesIn(notices)).toEqual(['a@1.2.3', 'b@1.2.3'])
    expect(notices).toContain('Text\n\nMore\n')
  })

  test('must have a license', () => {
    expect(() => noticesOf(packagesOf([addPackage(newFolder(), 'a')]))).toThrow('a has no license file')
  })
})

describe('a bill of materials', () => {
  test('lists the bundled packages with hashes and licenses, and is the same each time', () => {
    const { name, version } = packagesOf(['\0rolldown/runtime.js'])[0]
    const bundled = [`${name}@${version}`]
    const sbom = sbomOf('portcall@0.1.0', bundled)
    expect(faultsOfSbom(sbom, bundled)).toEqual([])
    expect(sbomOf('portcall@0.1.0', bundled)).toBe(sbom)
    expect(faultsOfSbom(sbom, ['other@1.0.0'])).toEqual(['other@1.0.0 is missing', `${bundled[0]} is not in THIRD-PARTY.txt`])
  })

  test('cannot list a package that is not installed', () => {
    expect(() => sbomOf('portcall@0.1.0', ['unknown@1.0.0'])).toThrow('unknown@1.0.0')
  })
})
